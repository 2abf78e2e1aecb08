import Synchronization

/// What the threads that serve a lane of Dispatch's show the watchdog: its label, what its items took, which item was
/// served last, and which items waited for the threshold or longer. Threads write at the same time.
package struct LaneRegion: @unchecked Sendable {
  /// An item that waited for the threshold or longer, and now has begun.
  package struct LateItem: Sendable, Equatable {
    package var queue: UInt64
    /// Since when it waited, and when it began, on the monotonic clock.
    package var waitingNs: Nanoseconds
    package var begunNs: Nanoseconds
    /// When the item before it in its queue, or of its pool, had begun; 0: none ended right before it.
    package var previousBegunNs: Nanoseconds

    package init(queue: UInt64, waitingNs: Nanoseconds, begunNs: Nanoseconds, previousBegunNs: Nanoseconds) {
      self.queue = queue
      self.waitingNs = waitingNs
      self.begunNs = begunNs
      self.previousBegunNs = previousBegunNs
    }
  }

  private struct Fields: ~Copyable {
    /// 0 until the label is there; then 1, and 2 for a pool.
    let kind = Atomic<UInt64>(0)
    let served = Atomic<UInt64>(0)
    /// The item that ended last. The three words may be of different items for a moment.
    let lastQueue = Atomic<UInt64>(0)
    let lastBegun = Atomic<UInt64>(0)
    let lastEnded = Atomic<UInt64>(0)
    /// How many late items there were.
    let late = Atomic<UInt64>(0)
  }

  private struct LateSlot: ~Copyable {
    /// The item's number, from 1, once the other words are its own; 0 while they change.
    let number = Atomic<UInt64>(0)
    let queue = Atomic<UInt64>(0)
    let waiting = Atomic<UInt64>(0)
    let begun = Atomic<UInt64>(0)
    let previousBegun = Atomic<UInt64>(0)
  }

  /// The watchdog reads late items as often as it looks: within a threshold. More of them in that time are counted as
  /// lost spans.
  private static let lateCapacity = 32
  /// The most bytes of a label that are kept.
  package static let labelLength = 64
  /// An item that ended at most so long before a late one began is what that one waited for.
  private static let longestHandover = 1 * Nanoseconds.millisecond

  private static let labelOffset = MemoryLayout<Fields>.stride
  private static let lateOffset = labelOffset + labelLength
  private static let countersOffset = lateOffset + lateCapacity * MemoryLayout<LateSlot>.stride
  /// The zeroed memory that a region takes, in bytes.
  package static let byteCount = countersOffset + LaneCounters.byteCount

  private let memory: UnsafeMutableRawPointer
  private let fields: UnsafeMutablePointer<Fields>
  /// What the items took.
  package let counters: LaneCounters

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
    fields = memory.assumingMemoryBound(to: Fields.self)
    counters = LaneCounters(memory: memory + Self.countersOffset)
  }

  // MARK: For the threads of the program

  /// Makes it the region of a lane. `label` has at most ``labelLength`` bytes. For one thread, once.
  package func begin(label: UnsafeRawBufferPointer, isPool: Bool) {
    // Nobody reads it before `kind` is stored.
    UnsafeMutableRawBufferPointer(start: memory + Self.labelOffset, count: Self.labelLength).copyMemory(from: label)
    fields.pointee.kind.store(isPool ? 2 : 1, ordering: .releasing)
  }

  /// Counts the wait of an item of a queue that begins now; `threshold` in nanoseconds.
  package func begin(queue: UInt64, waitingSince start: Nanoseconds, at now: Nanoseconds, threshold: Nanoseconds) {
    let delay = now.since(start)
    counters.record(.delay, delay)
    if delay >= threshold { noteLate(queue, waitingSince: start, at: now) }
  }

  @inline(never)
  private func noteLate(_ queue: UInt64, waitingSince start: Nanoseconds, at now: Nanoseconds) {
    let isOwn = isPool || fields.pointee.lastQueue.load(ordering: .relaxed) == queue
    let ended = fields.pointee.lastEnded.load(ordering: .relaxed)
    let isHandover = isOwn && ended > start && now.since(ended) <= Self.longestHandover
    let number = fields.pointee.late.wrappingAdd(1, ordering: .relaxed).newValue
    let slot = lateSlot(number)
    slot.pointee.number.store(0, ordering: .releasing)
    slot.pointee.queue.store(queue, ordering: .releasing)
    slot.pointee.waiting.store(start, ordering: .releasing)
    slot.pointee.begun.store(now, ordering: .releasing)
    slot.pointee.previousBegun.store(
      isHandover ? fields.pointee.lastBegun.load(ordering: .relaxed) : 0, ordering: .releasing)
    slot.pointee.number.store(number, ordering: .releasing)
  }

  /// Counts an item of a queue that ends now.
  package func end(queue: UInt64, servedSince start: Nanoseconds, at now: Nanoseconds) {
    fields.pointee.lastQueue.store(queue, ordering: .relaxed)
    fields.pointee.lastBegun.store(start, ordering: .relaxed)
    fields.pointee.lastEnded.store(now, ordering: .relaxed)
    counters.record(.service, now.since(start))
    fields.pointee.served.wrappingAdd(1, ordering: .releasing)
  }

  // MARK: For the watchdog

  /// Whether a lane has the region, and its label can be read.
  package var isReady: Bool { fields.pointee.kind.load(ordering: .acquiring) != 0 }
  /// Whether it serves several items at once.
  package var isPool: Bool { fields.pointee.kind.load(ordering: .acquiring) == 2 }
  /// The queues' label, at most ``labelLength`` bytes of it.
  package var label: String {
    let bytes = UnsafeRawBufferPointer(start: memory + Self.labelOffset, count: Self.labelLength)
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
  /// How many items were served.
  package var served: UInt64 { fields.pointee.served.load(ordering: .acquiring) }
  /// How many items were late.
  package var lateCount: UInt64 { fields.pointee.late.load(ordering: .acquiring) }

  /// The late items after the one with the number `last`, in their order, and how many of them are lost.
  package func lateItems(after last: UInt64) -> (items: [LateItem], lost: UInt64) {
    let newest = lateCount
    guard newest > last else { return ([], 0) }
    let first = max(last + 1, newest > UInt64(Self.lateCapacity) ? newest - UInt64(Self.lateCapacity) + 1 : 1)
    let items = (first...newest).compactMap(lateItem)
    return (items, newest - last - UInt64(items.count))
  }

  private func lateItem(_ number: UInt64) -> LateItem? {
    let slot = lateSlot(number)
    guard slot.pointee.number.load(ordering: .acquiring) == number else { return nil }
    let item = LateItem(
      queue: slot.pointee.queue.load(ordering: .acquiring), waitingNs: slot.pointee.waiting.load(ordering: .acquiring),
      begunNs: slot.pointee.begun.load(ordering: .acquiring),
      previousBegunNs: slot.pointee.previousBegun.load(ordering: .acquiring))
    return slot.pointee.number.load(ordering: .acquiring) == number ? item : nil
  }

  private func lateSlot(_ number: UInt64) -> UnsafeMutablePointer<LateSlot> {
    (memory + Self.lateOffset).assumingMemoryBound(to: LateSlot.self) + Int(number % UInt64(Self.lateCapacity))
  }
}
