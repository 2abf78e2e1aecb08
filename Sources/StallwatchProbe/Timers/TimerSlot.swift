import StallwatchCore
import Synchronization

/// The place of one timer in the table: what is known of it besides its counters. Any thread may read; each member says
/// who writes.
struct TimerSlot: @unchecked Sendable {
  /// The words of a slot. Zeroed memory is a free slot.
  private struct Fields: ~Copyable {
    let state: Atomic<UInt64>
    let number: Atomic<UInt64>
    let loop: Atomic<UInt64>
    let region: Atomic<UInt64>
    let threshold: Atomic<UInt64>
    let origin: Atomic<UInt64>
    let interval: Atomic<UInt64>
    let madeNs: Atomic<UInt64>
    let loopObject: Atomic<UInt64>
    let checkedModes: Atomic<UInt64>
    let timer: Atomic<UInt64>
    let index: Atomic<UInt64>
    let nextFreed: Atomic<UInt64>
    let endedNs: Atomic<UInt64>
    /// A re-arming by another thread, for the loop's thread to take: the due time, and when it happened; 0 for none.
    let rearmedDue: Atomic<UInt64>
    let rearmedNs: Atomic<UInt64>
    /// The due time read last.
    let lastDue: Atomic<UInt64>
    let addedNs: Atomic<UInt64>
  }

  /// The most modes noted that a timer was added to and has not fired in.
  private static let modeHashCount = 6
  private static var fieldsByteCount: Int { MemoryLayout<Fields>.size }
  private static var countersOffset: Int { fieldsByteCount + modeHashCount * MemoryLayout<Atomic<UInt64>>.stride }
  static let byteCount = CacheLine.rounded(countersOffset + TimerCounters.byteCount)

  /// The states of a slot.
  enum State: UInt64 {
    case free, taken, live, over
  }

  let memory: UnsafeMutableRawPointer
  let counters: TimerCounters
  private let fields: UnsafeMutablePointer<Fields>
  /// Hashes of the names of modes that it was added to; 0 for none.
  private let modeHashes: UnsafeMutablePointer<Atomic<UInt64>>

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
    fields = memory.bindMemory(to: Fields.self, capacity: 1)
    modeHashes = (memory + Self.fieldsByteCount).bindMemory(to: Atomic<UInt64>.self, capacity: Self.modeHashCount)
    counters = TimerCounters(memory: memory + Self.countersOffset)
  }

  var state: State { State(rawValue: fields.pointee.state.load(ordering: .acquiring)) ?? .free }
  /// Makes a free slot that of another timer. Only on the thread to which the table gave it.
  func claim(index: Int) {
    // The words before the counters, all but the first: the state.
    let words = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
    for word in 1..<Self.countersOffset / MemoryLayout<Atomic<UInt64>>.stride {
      words[word].store(0, ordering: .relaxed)
    }
    fields.pointee.index.store(UInt64(index), ordering: .relaxed)
    fields.pointee.state.store(State.taken.rawValue, ordering: .releasing)
  }
  /// Sets the timer's ID; before ``begin()``.
  func number(_ number: TimerID) { fields.pointee.number.store(number.rawValue, ordering: .relaxed) }
  /// Shows a filled slot to the watchdog.
  func begin() { fields.pointee.state.store(State.live.rawValue, ordering: .releasing) }
  /// Notes that its timer fires no more from `now` on.
  func end(at now: Nanoseconds) {
    fields.pointee.endedNs.store(now, ordering: .relaxed)
    fields.pointee.state.store(State.over.rawValue, ordering: .releasing)
  }
  /// The moment of `end(at:)`; 0 while the timer may fire.
  var endedNs: Nanoseconds { fields.pointee.endedNs.load(ordering: .relaxed) }
  /// Empties the slot, once no thread can use it.
  func free() {
    counters.clear()
    fields.pointee.state.store(State.free.rawValue, ordering: .releasing)
  }

  var id: TimerID { TimerID(rawValue: fields.pointee.number.load(ordering: .relaxed)) }
  var index: Int { Int(fields.pointee.index.load(ordering: .relaxed)) }
  /// The loop that serves it; nil until known.
  var loop: LoopID? {
    let loop = fields.pointee.loop.load(ordering: .acquiring)
    return loop == 0 ? nil : LoopID(rawValue: UInt32(truncatingIfNeeded: loop))
  }
  /// The return address in the code that made it.
  var origin: UInt64 { fields.pointee.origin.load(ordering: .relaxed) }
  /// In nanoseconds; 0 for one-shots.
  var interval: Nanoseconds { fields.pointee.interval.load(ordering: .relaxed) }
  var madeNs: Nanoseconds { fields.pointee.madeNs.load(ordering: .relaxed) }
  /// The address of the CFRunLoop it was last added to, for comparison only.
  var loopObject: UInt64 {
    get { fields.pointee.loopObject.load(ordering: .relaxed) }
    nonmutating set { fields.pointee.loopObject.store(newValue, ordering: .relaxed) }
  }
  /// When it was last added; 0 where that was not seen.
  var addedNs: Nanoseconds {
    get { fields.pointee.addedNs.load(ordering: .relaxed) }
    nonmutating set { fields.pointee.addedNs.store(newValue, ordering: .relaxed) }
  }
  /// In the table's list of free slots: the next one's place + 1.
  var nextFreed: UInt64 {
    get { fields.pointee.nextFreed.load(ordering: .relaxed) }
    nonmutating set { fields.pointee.nextFreed.store(newValue, ordering: .relaxed) }
  }
  /// The due time read last, where due times are derived from dates; 0 before the first.
  var lastDue: Nanoseconds {
    get { fields.pointee.lastDue.load(ordering: .relaxed) }
    nonmutating set { fields.pointee.lastDue.store(newValue, ordering: .relaxed) }
  }
  /// In how many of the loop's modes CF was asked for the timer.
  var checkedModes: Int {
    get { Int(fields.pointee.checkedModes.load(ordering: .relaxed)) }
    nonmutating set { fields.pointee.checkedModes.store(UInt64(newValue), ordering: .relaxed) }
  }
  /// The CFRunLoopTimer retained for polling; nil where hooks show the timer. The watchdog releases it.
  var heldTimer: UnsafeRawPointer? {
    get { UnsafeRawPointer(bitPattern: UInt(fields.pointee.timer.load(ordering: .relaxed))) }
    nonmutating set { fields.pointee.timer.store(UInt64(UInt(bitPattern: newValue)), ordering: .relaxed) }
  }

  /// Notes that the timer was added to the mode with this hash. Any thread. Beyond a few modes, only callouts show it.
  func note(modeHash: UInt64) {
    for place in 0..<Self.modeHashCount {
      let outcome = modeHashes[place].compareExchange(expected: 0, desired: modeHash, ordering: .relaxed)
      if outcome.exchanged || outcome.original == modeHash { return }
    }
  }
  /// Whether it was added to the mode with that hash.
  func hasNoted(modeHash: UInt64) -> Bool {
    (0..<Self.modeHashCount).contains { modeHashes[$0].load(ordering: .relaxed) == modeHash }
  }

  /// Leaves a re-arming to the loop's thread. Called on another thread; a second one replaces the first if the loop's
  /// thread has not taken that.
  func leaveRearm(to due: Nanoseconds, at now: Nanoseconds) {
    fields.pointee.rearmedDue.store(due, ordering: .relaxed)
    fields.pointee.rearmedNs.store(now, ordering: .releasing)
  }
  /// Takes a re-arming that another thread has left into the fold.
  @inline(__always)
  func takeRearm() {
    if fields.pointee.rearmedNs.load(ordering: .relaxed) != 0 { rearmAsLeft() }
  }
  private func rearmAsLeft() {
    let moment = fields.pointee.rearmedNs.exchange(0, ordering: .acquiring)
    fold?.rearm(to: fields.pointee.rearmedDue.load(ordering: .relaxed), at: moment)
  }

  /// Fills in what is known when the timer enters the ledger; before ``begin()``.
  func describe(origin: UInt64, interval: Nanoseconds, at now: Nanoseconds) {
    fields.pointee.origin.store(origin, ordering: .relaxed)
    fields.pointee.interval.store(interval, ordering: .relaxed)
    fields.pointee.madeNs.store(now, ordering: .relaxed)
  }

  /// Sets the loop that serves it.
  func bind(to watched: WatchedLoop) {
    let memory = watched.memory
    fields.pointee.region.store(UInt64(UInt(bitPattern: memory.region.memory)), ordering: .relaxed)
    fields.pointee.threshold.store(memory.threshold, ordering: .relaxed)
    fields.pointee.loop.store(UInt64(watched.id.rawValue), ordering: .releasing)
  }

  /// The fold; nil while no loop serves it.
  @inline(__always)
  var fold: TimerFold? {
    guard let region = UnsafeMutableRawPointer(bitPattern: UInt(fields.pointee.region.load(ordering: .relaxed)))
    else { return nil }
    return TimerFold(
      counters: counters, slot: UInt32(truncatingIfNeeded: index), region: LoopRegion(memory: region),
      threshold: fields.pointee.threshold.load(ordering: .relaxed))
  }
}
