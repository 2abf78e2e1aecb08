import StallwatchCore
import Synchronization

/// The place of one timer in the table: what is known of it beside its board. Any thread may read; who writes is said at
/// each.
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
    /// A re-arming by another thread than the loop's, which waits for that one: the due time, and when; 0 for none.
    static let rearmedDue = 15
    static let rearmedNs = 16
    /// The due time that was read last.
    static let lastDue = 17
    /// Hashes of the names of modes that it was added to; 0 for none.
    static let modeHashes = 18
    static let addedNs = 24
  }

  /// As many modes are known that a timer was added to and has not fired in.
  private static let modeHashCount = 6

  /// What becomes of a slot.
  enum State: UInt64 {
    case free, taken, live, over
  }

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
    words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: Self.wordCount)
    board = TimerBoard(memory: memory + Self.wordCount * 8)
  }

  var state: State { State(rawValue: words[Word.state].load(ordering: .acquiring)) ?? .free }
  /// Makes a free slot that of another timer. The thread to which the table gave it.
  func take(index: Int) {
    for word in 1..<Self.wordCount { words[word].store(0, ordering: .relaxed) }
    words[Word.index].store(UInt64(index), ordering: .relaxed)
    words[Word.state].store(State.taken.rawValue, ordering: .releasing)
  }
  /// Gives it the timer's number; before ``begin()``.
  func number(_ number: TimerID) { words[Word.number].store(number.rawValue, ordering: .relaxed) }
  /// Shows a filled slot to the watchdog.
  func begin() { words[Word.state].store(State.live.rawValue, ordering: .releasing) }
  /// Its timer fires no more since `now`.
  func end(at now: Nanoseconds) {
    words[Word.endedNs].store(now, ordering: .relaxed)
    words[Word.state].store(State.over.rawValue, ordering: .releasing)
  }
  /// When that was; 0 while it may fire.
  var endedNs: Nanoseconds { words[Word.endedNs].load(ordering: .relaxed) }
  /// Empties it. When no thread can be in it.
  func free() {
    board.clear()
    words[Word.state].store(State.free.rawValue, ordering: .releasing)
  }

  var id: TimerID { TimerID(rawValue: words[Word.number].load(ordering: .relaxed)) }
  var index: Int { Int(words[Word.index].load(ordering: .relaxed)) }
  /// The loop that serves it; nil until it is known.
  var loop: LoopID? {
    let loop = words[Word.loop].load(ordering: .acquiring)
    return loop == 0 ? nil : LoopID(rawValue: UInt32(truncatingIfNeeded: loop))
  }
  /// The return address in the code that made it.
  var origin: UInt64 { words[Word.origin].load(ordering: .relaxed) }
  /// 0 for one-shots.
  var interval: Nanoseconds { words[Word.interval].load(ordering: .relaxed) }
  var madeNs: Nanoseconds { words[Word.madeNs].load(ordering: .relaxed) }
  /// The CFRunLoop that the timer was last added to, to compare with.
  var loopObject: UInt64 {
    get { words[Word.loopObject].load(ordering: .relaxed) }
    nonmutating set { words[Word.loopObject].store(newValue, ordering: .relaxed) }
  }
  /// When that was; 0 where it was not seen.
  var addedNs: Nanoseconds {
    get { words[Word.addedNs].load(ordering: .relaxed) }
    nonmutating set { words[Word.addedNs].store(newValue, ordering: .relaxed) }
  }
  /// In the table's list of free slots: the next one's place + 1.
  var nextFreed: UInt64 {
    get { words[Word.nextFreed].load(ordering: .relaxed) }
    nonmutating set { words[Word.nextFreed].store(newValue, ordering: .relaxed) }
  }
  /// The due time that was read last, where due times are derived from dates; 0 before the first.
  var lastDue: Nanoseconds {
    get { words[Word.lastDue].load(ordering: .relaxed) }
    nonmutating set { words[Word.lastDue].store(newValue, ordering: .relaxed) }
  }
  /// How many of the loop's modes it was looked for in.
  var checkedModes: Int {
    get { Int(words[Word.checkedModes].load(ordering: .relaxed)) }
    nonmutating set { words[Word.checkedModes].store(UInt64(newValue), ordering: .relaxed) }
  }
  /// A CFRunLoopTimer that is held for polling; nil where hooks see the timer. Let go of by the watchdog.
  var heldTimer: UnsafeRawPointer? {
    get { UnsafeRawPointer(bitPattern: UInt(words[Word.timer].load(ordering: .relaxed))) }
    nonmutating set { words[Word.timer].store(UInt64(UInt(bitPattern: newValue)), ordering: .relaxed) }
  }

  /// Notes the mode with that hash as one that the timer was added to. Any thread; beyond a few modes it is left to the
  /// timer's callouts to tell.
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

  /// Leaves a re-arming to the loop's thread. Another thread; a second one before the loop's thread has seen the first takes
  /// its place.
  func leaveRearm(to due: Nanoseconds, at now: Nanoseconds) {
    words[Word.rearmedDue].store(due, ordering: .relaxed)
    words[Word.rearmedNs].store(now, ordering: .releasing)
  }
  /// Takes what another thread has left, into the fold.
  @inline(__always)
  func takeRearm() {
    if words[Word.rearmedNs].load(ordering: .relaxed) != 0 { rearmAsLeft() }
  }
  private func rearmAsLeft() {
    let moment = words[Word.rearmedNs].exchange(0, ordering: .acquiring)
    fold?.rearm(to: words[Word.rearmedDue].load(ordering: .relaxed), at: moment)
  }

  /// Fills in what is known when the timer comes into the ledger; before ``begin()``.
  func describe(origin: UInt64, interval: Nanoseconds, at now: Nanoseconds) {
    words[Word.origin].store(origin, ordering: .relaxed)
    words[Word.interval].store(interval, ordering: .relaxed)
    words[Word.madeNs].store(now, ordering: .relaxed)
  }

  /// Says which loop serves it.
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
