import StallwatchCore
import Synchronization

/// The place of one timer in the table: what is known of it beside its board. Any thread may read; who writes is said at
/// each.
struct TimerSlot: @unchecked Sendable {
  static let byteCount = (wordCount * 8 + TimerBoard.byteCount + 63) & ~63
  private static let wordCount = 16

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
  }

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
  /// Takes a free slot; false when another thread was first.
  func take(index: Int) -> Bool {
    guard
      words[Word.state].compareExchange(
        expected: State.free.rawValue, desired: State.taken.rawValue, ordering: .acquiringAndReleasing
      ).exchanged
    else { return false }
    for word in 1..<Self.wordCount { words[word].store(0, ordering: .relaxed) }
    words[Word.index].store(UInt64(index), ordering: .relaxed)
    return true
  }
  /// Gives it the timer's number; before ``begin()``.
  func number(_ number: UInt64) { words[Word.number].store(number, ordering: .relaxed) }
  /// Shows a filled slot to the watchdog.
  func begin() { words[Word.state].store(State.live.rawValue, ordering: .releasing) }
  /// Its timer fires no more.
  func end() { words[Word.state].store(State.over.rawValue, ordering: .releasing) }
  /// Gives it back. The watchdog, when no thread can be in it.
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
