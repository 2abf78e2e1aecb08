import Synchronization

/// What the threads that serve a lane of Dispatch's show the watchdog: its label, what its items took, which item was
/// served last, and which items waited for the threshold or longer. Threads write at the same time.
@usableFromInline
package struct LaneRegion: @unchecked Sendable {
  /// An item that waited for the threshold or longer, and now has begun; or such items of one queue, of which each waited
  /// already when the one before it began, and that began without a pause.
  package struct LateItem: Sendable, Equatable {
    /// The queue's address, for comparison only.
    package var queue: UInt64
    /// Since when the first waited, and when the last began, on the monotonic clock.
    package var waitingNs: Nanoseconds
    package var begunNs: Nanoseconds
    /// Since when its queue or pool had served other items without a pause; ``begunNs`` if it had served none.
    package var servingNs: Nanoseconds
  }

  @usableFromInline
  struct Fields: ~Copyable {
    // One line of the caches, with all that an item changes here.
    /// 0 until the label is there; then the kind's number.
    @usableFromInline let kind = Atomic<UInt64>(0)
    /// About how many items were served: of two that end at the same time, one may go uncounted.
    @usableFromInline let served = Atomic<UInt64>(0)
    // Threads may change these at the same time. Then a time without a pause seems to begin later than it did.
    /// The queue whose item began last, and since when it has served items without a pause; of a pool, since when the pool
    /// has.
    @usableFromInline let queue = Atomic<UInt64>(0)
    @usableFromInline let servingSince = Atomic<UInt64>(0)
    /// When an item ended last.
    @usableFromInline let lastEnded = Atomic<UInt64>(0)
    /// How many items of a pool are served now.
    @usableFromInline let active = Atomic<UInt64>(0)
    /// When the first item began since the watchdog last asked; 0: none did.
    @usableFromInline let firstBegun = Atomic<UInt64>(0)
    /// How many late items there were.
    let late = Atomic<UInt64>(0)

    /// When it became the region of a lane.
    let made = Atomic<UInt64>(0)
  }

  @usableFromInline
  struct LateSlot: ~Copyable {
    /// The item's number, from 1, once the other words are its own; 0 while they change.
    let number = Atomic<UInt64>(0)
    let queue = Atomic<UInt64>(0)
    let waiting = Atomic<UInt64>(0)
    let begun = Atomic<UInt64>(0)
    let serving = Atomic<UInt64>(0)
  }

  /// The watchdog reads late items as often as it looks: within a threshold. Only queues that share a label can have more
  /// of them in that time, which are counted as lost spans.
  @inlinable static var lateCapacity: Int { 32 }
  /// The most bytes of a label that are kept.
  @inlinable package static var labelLength: Int { 64 }
  /// A pause between two items of at most so long is none: Dispatch takes it to hand over to another thread.
  @inlinable static var longestHandover: Nanoseconds { 1 * .millisecond }

  // Fields, counters, the label and the late items, each in lines of the caches of its own.
  @inlinable static var countersOffset: Int { CacheLine.rounded(MemoryLayout<Fields>.stride) }
  @inlinable static var labelOffset: Int { countersOffset + CacheLine.rounded(LaneCounters.byteCount) }
  @inlinable static var lateOffset: Int { labelOffset + labelLength }
  /// The zeroed memory that a region takes, in bytes: whole ``CacheLine``s.
  @inlinable package static var byteCount: Int {
    lateOffset + CacheLine.rounded(lateCapacity * MemoryLayout<LateSlot>.stride)
  }

  @usableFromInline let memory: UnsafeMutableRawPointer
  /// What the items took.
  @inlinable @inline(__always)
  package var counters: LaneCounters { LaneCounters(memory: memory + Self.countersOffset) }
  @inlinable @inline(__always)
  var fields: UnsafeMutablePointer<Fields> { memory.assumingMemoryBound(to: Fields.self) }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to a ``CacheLine``, which must never move or be freed while
  /// in use.
  @inlinable
  package init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  // MARK: For the threads of the program

  /// Makes it the region of a lane. `label` has at most ``labelLength`` bytes. For one thread, once.
  package func begin(label: UnsafeRawBufferPointer, _ kind: LaneKind, at now: Nanoseconds) {
    // Nobody reads them before `kind` is stored.
    fields.pointee.made.store(now, ordering: .relaxed)
    UnsafeMutableRawBufferPointer(start: memory + Self.labelOffset, count: Self.labelLength).copyMemory(from: label)
    fields.pointee.kind.store(Self.number(of: kind), ordering: .releasing)
  }

  @inlinable static var queueNumber: UInt64 { 1 }
  @inlinable static var poolNumber: UInt64 { 2 }
  @inlinable static var pingedNumber: UInt64 { 3 }
  @inlinable static var actorNumber: UInt64 { 4 }

  private static func number(of kind: LaneKind) -> UInt64 {
    switch kind {
    case .pool: poolNumber
    case .pinged: pingedNumber
    case .actor: actorNumber
    default: queueNumber
    }
  }

  /// Notes that an item of a queue begins, and counts for how long it has waited since `start`; 0: it did not wait.
  /// `threshold` in nanoseconds.
  @inlinable
  package func begin(queue: UInt64, waitingSince start: Nanoseconds, at now: Nanoseconds, threshold: Nanoseconds) {
    let serving = goOnServing(queue, at: now)
    if fields.pointee.firstBegun.load(ordering: .relaxed) == 0 {
      fields.pointee.firstBegun.store(now, ordering: .relaxed)
    }
    guard start != 0 else { return }
    let delay = now.since(start)
    counters.record(.delay, delay)
    if delay >= threshold { noteLate(queue, waitingSince: start, at: now, serving: serving) }
  }

  /// Since when the queue, or the pool, has served items without a pause until now.
  @inlinable
  func goOnServing(_ queue: UInt64, at now: Nanoseconds) -> Nanoseconds {
    let others = isPool ? fields.pointee.active.wrappingAdd(1, ordering: .relaxed).oldValue : 0
    let ended = fields.pointee.lastEnded.load(ordering: .relaxed)
    let isOwn = isPool || fields.pointee.queue.load(ordering: .relaxed) == queue
    if others > 0 || isOwn && ended > 0 && now.since(ended) <= Self.longestHandover {
      return fields.pointee.servingSince.load(ordering: .relaxed)
    }
    fields.pointee.servingSince.store(now, ordering: .relaxed)
    fields.pointee.queue.store(queue, ordering: .relaxed)
    return now
  }

  @inline(never) @usableFromInline
  func noteLate(
    _ queue: UInt64, waitingSince start: Nanoseconds, at now: Nanoseconds, serving: Nanoseconds
  ) {
    let last = fields.pointee.late.load(ordering: .relaxed)
    if last > 0, goesOn(lateSlot(last), queue, waitingSince: start, serving: serving) {
      lateSlot(last).pointee.begun.store(now, ordering: .releasing)
      return
    }
    let number = fields.pointee.late.wrappingAdd(1, ordering: .relaxed).newValue
    let slot = lateSlot(number)
    slot.pointee.number.store(0, ordering: .releasing)
    slot.pointee.queue.store(queue, ordering: .releasing)
    slot.pointee.waiting.store(start, ordering: .releasing)
    slot.pointee.begun.store(now, ordering: .releasing)
    slot.pointee.serving.store(serving, ordering: .releasing)
    slot.pointee.number.store(number, ordering: .releasing)
  }

  /// Whether an item that waited since `start` did so when the last late one began, and there was no pause since.
  private func goesOn(
    _ last: UnsafeMutablePointer<LateSlot>, _ queue: UInt64, waitingSince start: Nanoseconds, serving: Nanoseconds
  ) -> Bool {
    (isPool || last.pointee.queue.load(ordering: .relaxed) == queue)
      && last.pointee.serving.load(ordering: .relaxed) == serving
      && start <= last.pointee.begun.load(ordering: .relaxed)
  }

  /// Counts an item that ends now.
  @inlinable
  package func end(servedSince start: Nanoseconds, at now: Nanoseconds) {
    fields.pointee.lastEnded.store(now, ordering: .relaxed)
    if isPool { fields.pointee.active.wrappingSubtract(1, ordering: .relaxed) }
    counters.record(.service, now.since(start))
    noteServed()
  }

  /// No atomic addition, which costs 5 ns and more: this only shows that something was served, and the counters have the
  /// exact number.
  @inlinable
  func noteServed() {
    fields.pointee.served.store(fields.pointee.served.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Counts a ping that is answered now and has waited since `start`. A lane that is pinged serves nothing else that shows.
  package func answer(_ queue: UInt64, waitingSince start: Nanoseconds, at now: Nanoseconds, threshold: Nanoseconds) {
    fields.pointee.queue.store(queue, ordering: .relaxed)
    fields.pointee.servingSince.store(start, ordering: .relaxed)
    fields.pointee.lastEnded.store(now, ordering: .relaxed)
    let delay = now.since(start)
    counters.record(.delay, delay)
    if delay >= threshold { noteLate(queue, waitingSince: start, at: now, serving: start) }
    noteServed()
  }

  // MARK: For the watchdog

  /// Whether a lane has the region, and its label can be read.
  package var isReady: Bool { fields.pointee.kind.load(ordering: .acquiring) != 0 }
  /// When it became a lane's, on the monotonic clock, once it is ready.
  package var madeNs: Nanoseconds { fields.pointee.made.load(ordering: .relaxed) }
  /// Whether it is the lane of serial queues, once it is ready.
  @inlinable
  package var isQueue: Bool { fields.pointee.kind.load(ordering: .acquiring) == Self.queueNumber }
  /// What kind of lane it is, once it is ready.
  package var kind: LaneKind {
    switch fields.pointee.kind.load(ordering: .acquiring) {
    case Self.poolNumber: .pool
    case Self.pingedNumber: .pinged
    case Self.actorNumber: .actor
    default: .queue
    }
  }
  @inlinable
  var isPool: Bool { fields.pointee.kind.load(ordering: .acquiring) == Self.poolNumber }
  /// The queues' label, at most ``labelLength`` bytes of it.
  package var label: String {
    let bytes = UnsafeRawBufferPointer(start: memory + Self.labelOffset, count: Self.labelLength)
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
  /// When the first item began since the last call; nil: none did.
  package func takeFirstBegun() -> Nanoseconds? {
    let first = fields.pointee.firstBegun.exchange(0, ordering: .relaxed)
    return first == 0 ? nil : first
  }
  /// About how many items were served: of two that end at the same time, one may go uncounted here.
  package var served: UInt64 { fields.pointee.served.load(ordering: .acquiring) }
  /// Since when a queue of the lane, or the pool, has served items without a pause, if an item is served now; nil: not
  /// known, because another queue of the lane has begun an item since.
  package func servingNs(_ queue: UInt64) -> Nanoseconds? {
    guard isPool || fields.pointee.queue.load(ordering: .relaxed) == queue else { return nil }
    return fields.pointee.servingSince.load(ordering: .relaxed)
  }
  /// When an item ended last; 0 before the first.
  package var lastEndedNs: Nanoseconds { fields.pointee.lastEnded.load(ordering: .relaxed) }
  /// How many items were late.
  package var lateCount: UInt64 { fields.pointee.late.load(ordering: .acquiring) }

  /// Where a reader of late items is.
  package struct LatePosition: Sendable {
    fileprivate var number: UInt64
    fileprivate var begunNs: Nanoseconds = 0
  }

  /// The position before all late items.
  package static let firstPosition = LatePosition(number: 0)
  /// The position after all late items so far.
  package var latePosition: LatePosition { LatePosition(number: lateCount, begunNs: lateItem(lateCount)?.begunNs ?? 0) }

  /// Whether ``lateItems(after:)`` would return any, or a loss.
  package func hasLate(after position: LatePosition) -> Bool {
    lateCount > position.number || hasGoneOn(since: position)
  }

  /// Whether the late item that was read last has gone on since.
  private func hasGoneOn(since position: LatePosition) -> Bool {
    lateItem(position.number).map { $0.begunNs > position.begunNs } ?? false
  }

  /// The late items since the last call, in their order, and how many of them are lost. The first may be one that was read
  /// before and has gone on since.
  package func lateItems(after position: inout LatePosition) -> (items: [LateItem], lost: UInt64) {
    let newest = lateCount
    let goesOn = hasGoneOn(since: position)
    guard newest > position.number || goesOn else { return ([], 0) }
    let oldest = newest > UInt64(Self.lateCapacity) ? newest - UInt64(Self.lateCapacity) + 1 : 1
    let first = max(position.number + 1, oldest)
    let new = first <= newest ? (first...newest).compactMap(lateItem) : []
    let lost = (newest - position.number).since(UInt64(new.count))
    let items = (goesOn ? [lateItem(position.number)].compactMap(\.self) : []) + new
    position = LatePosition(number: newest, begunNs: items.last?.begunNs ?? position.begunNs)
    return (items, lost)
  }

  private func lateItem(_ number: UInt64) -> LateItem? {
    let slot = lateSlot(number)
    guard slot.pointee.number.load(ordering: .acquiring) == number else { return nil }
    let item = LateItem(
      queue: slot.pointee.queue.load(ordering: .acquiring), waitingNs: slot.pointee.waiting.load(ordering: .acquiring),
      begunNs: slot.pointee.begun.load(ordering: .acquiring),
      servingNs: slot.pointee.serving.load(ordering: .acquiring))
    return slot.pointee.number.load(ordering: .acquiring) == number ? item : nil
  }

  private func lateSlot(_ number: UInt64) -> UnsafeMutablePointer<LateSlot> {
    (memory + Self.lateOffset).assumingMemoryBound(to: LateSlot.self) + Int(number % UInt64(Self.lateCapacity))
  }
}
