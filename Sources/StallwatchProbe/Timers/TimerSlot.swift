import StallwatchCore
import Synchronization

/// The place of one timer in the table: what is known of it besides its board. Any thread may read; each member says
/// who writes.
struct TimerSlot: @unchecked Sendable {
  static let byteCount = (wordCount * 8 + TimerBoard.byteCount + 63) & ~63
  private static let wordCount = 25

  let memory: UnsafeMutableRawPointer
  let board: TimerBoard
  private let words: UnsafeMutablePointer<Atomic<UInt64>>

  private enum Word {
    static let state = 0
    static let number = 1
    static let loop = 2
    static let loopBoard = 3
    static let lateFires = 4
    static let threshold = 5
    static let origin = 6
    static let interval = 7
    static let madeNs = 8
    static let loopObject = 9
    static let checkedModes = 10
    static let timer = 11
    static let index = 12
    static let nextFreed = 13
    static let endedNs = 14
    /// A re-arming by another thread, for the loop's thread to take: the due time, and when it happened; 0 for none.
    static let rearmedDue = 15
    static let rearmedNs = 16
    /// The due time read last.
    static let lastDue = 17
    /// Hashes of the names of modes that it was added to; 0 for none.
    static let modeHashes = 18
    static let addedNs = 24
  }

  /// The most modes noted that a timer was added to and has not fired in.
  private static let modeHashCount = 6

  /// The states of a slot.
  enum State: UInt64 {
    case free, taken, live, over
  }

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
    words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: Self.wordCount)
    board = TimerBoard(memory: memory + Self.wordCount * 8)
  }

  var state: State { State(rawValue: words[Word.state].load(ordering: .acquiring)) ?? .free }
  /// Makes a free slot that of another timer. Only on the thread to which the table gave it.
  func take(index: Int) {
    for word in 1..<Self.wordCount { words[word].store(0, ordering: .relaxed) }
    words[Word.index].store(UInt64(index), ordering: .relaxed)
    words[Word.state].store(State.taken.rawValue, ordering: .releasing)
  }
  /// Sets the timer's ID; before ``begin()``.
  func number(_ number: TimerID) { words[Word.number].store(number.rawValue, ordering: .relaxed) }
  /// Shows a filled slot to the watchdog.
  func begin() { words[Word.state].store(State.live.rawValue, ordering: .releasing) }
  /// Notes that its timer fires no more from `now` on.
  func end(at now: Nanoseconds) {
    words[Word.endedNs].store(now, ordering: .relaxed)
    words[Word.state].store(State.over.rawValue, ordering: .releasing)
  }
  /// The moment of `end(at:)`; 0 while the timer may fire.
  var endedNs: Nanoseconds { words[Word.endedNs].load(ordering: .relaxed) }
  /// Empties the slot, once no thread can use it.
  func free() {
    board.clear()
    words[Word.state].store(State.free.rawValue, ordering: .releasing)
  }

  var id: TimerID { TimerID(rawValue: words[Word.number].load(ordering: .relaxed)) }
  var index: Int { Int(words[Word.index].load(ordering: .relaxed)) }
  /// The loop that serves it; nil until known.
  var loop: LoopID? {
    let loop = words[Word.loop].load(ordering: .acquiring)
    return loop == 0 ? nil : LoopID(rawValue: UInt32(truncatingIfNeeded: loop))
  }
  /// The return address in the code that made it.
  var origin: UInt64 { words[Word.origin].load(ordering: .relaxed) }
  /// In nanoseconds; 0 for one-shots.
  var interval: Nanoseconds { words[Word.interval].load(ordering: .relaxed) }
  var madeNs: Nanoseconds { words[Word.madeNs].load(ordering: .relaxed) }
  /// The address of the CFRunLoop it was last added to, for comparison only.
  var loopObject: UInt64 {
    get { words[Word.loopObject].load(ordering: .relaxed) }
    nonmutating set { words[Word.loopObject].store(newValue, ordering: .relaxed) }
  }
  /// When it was last added; 0 where that was not seen.
  var addedNs: Nanoseconds {
    get { words[Word.addedNs].load(ordering: .relaxed) }
    nonmutating set { words[Word.addedNs].store(newValue, ordering: .relaxed) }
  }
  /// In the table's list of free slots: the next one's place + 1.
  var nextFreed: UInt64 {
    get { words[Word.nextFreed].load(ordering: .relaxed) }
    nonmutating set { words[Word.nextFreed].store(newValue, ordering: .relaxed) }
  }
  /// The due time read last, where due times are derived from dates; 0 before the first.
  var lastDue: Nanoseconds {
    get { words[Word.lastDue].load(ordering: .relaxed) }
    nonmutating set { words[Word.lastDue].store(newValue, ordering: .relaxed) }
  }
  /// In how many of the loop's modes CF was asked for the timer.
  var checkedModes: Int {
    get { Int(words[Word.checkedModes].load(ordering: .relaxed)) }
    nonmutating set { words[Word.checkedModes].store(UInt64(newValue), ordering: .relaxed) }
  }
  /// The CFRunLoopTimer retained for polling; nil where hooks show the timer. The watchdog releases it.
  var heldTimer: UnsafeRawPointer? {
    get { UnsafeRawPointer(bitPattern: UInt(words[Word.timer].load(ordering: .relaxed))) }
    nonmutating set { words[Word.timer].store(UInt64(UInt(bitPattern: newValue)), ordering: .relaxed) }
  }

  /// Notes that the timer was added to the mode with this hash. Any thread. Beyond a few modes, only callouts show it.
  func note(modeHash: UInt64) {
    for word in Word.modeHashes..<(Word.modeHashes + Self.modeHashCount) {
      let outcome = words[word].compareExchange(expected: 0, desired: modeHash, ordering: .relaxed)
      if outcome.exchanged || outcome.original == modeHash { return }
    }
  }
  /// Whether it was added to the mode with that hash.
  func hasNoted(modeHash: UInt64) -> Bool {
    (Word.modeHashes..<(Word.modeHashes + Self.modeHashCount)).contains {
      words[$0].load(ordering: .relaxed) == modeHash
    }
  }

  /// Leaves a re-arming to the loop's thread. Called on another thread; a second one replaces the first if the loop's
  /// thread has not taken that.
  func leaveRearm(to due: Nanoseconds, at now: Nanoseconds) {
    words[Word.rearmedDue].store(due, ordering: .relaxed)
    words[Word.rearmedNs].store(now, ordering: .releasing)
  }
  /// Takes a re-arming that another thread has left into the fold.
  @inline(__always)
  func takeRearm() {
    if words[Word.rearmedNs].load(ordering: .relaxed) != 0 { rearmAsLeft() }
  }
  private func rearmAsLeft() {
    let moment = words[Word.rearmedNs].exchange(0, ordering: .acquiring)
    fold?.rearm(to: words[Word.rearmedDue].load(ordering: .relaxed), at: moment)
  }

  /// Fills in what is known when the timer enters the ledger; before ``begin()``.
  func describe(origin: UInt64, interval: Nanoseconds, at now: Nanoseconds) {
    words[Word.origin].store(origin, ordering: .relaxed)
    words[Word.interval].store(interval, ordering: .relaxed)
    words[Word.madeNs].store(now, ordering: .relaxed)
  }

  /// Sets the loop that serves it.
  func bind(to watched: WatchedLoop) {
    let memory = watched.memory
    words[Word.loopBoard].store(UInt64(UInt(bitPattern: memory.board.memory)), ordering: .relaxed)
    words[Word.lateFires].store(UInt64(UInt(bitPattern: memory.lateFires.memory)), ordering: .relaxed)
    words[Word.threshold].store(memory.threshold, ordering: .relaxed)
    words[Word.loop].store(UInt64(watched.id.rawValue), ordering: .releasing)
  }

  /// The fold; nil while no loop serves it.
  @inline(__always)
  var fold: TimerFold? {
    guard let board = UnsafeMutableRawPointer(bitPattern: UInt(words[Word.loopBoard].load(ordering: .relaxed))),
      let fires = UnsafeMutableRawPointer(bitPattern: UInt(words[Word.lateFires].load(ordering: .relaxed)))
    else { return nil }
    return TimerFold(
      board: self.board, slot: UInt32(truncatingIfNeeded: index), loop: LoopBoard(memory: board),
      lateFires: LateFireQueue(memory: fires), threshold: words[Word.threshold].load(ordering: .relaxed))
  }
}
