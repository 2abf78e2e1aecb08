import CStallwatch
import StallwatchCore
import Synchronization

/// Where the watchdog sleeps: for a time, or parked until a loop wakes it. One word in memory that never moves.
struct Parker: @unchecked Sendable {
  private enum State {
    /// Awake, or asleep until a deadline early enough for every loop: nobody needs to wake it.
    static let timed: UInt32 = 0
    /// Asleep without such a deadline: the first loop that is held must wake it.
    static let parked: UInt32 = 1
    /// Alerted: look now.
    static let alerted: UInt32 = 2
  }

  private let word: UnsafeMutablePointer<Atomic<UInt32>>

  /// The zeroed memory that a parker takes, in bytes.
  static let byteCount = 8

  /// Takes memory that is never given back, because a loop's thread may look at it at any time. Nil when there is none.
  init?() {
    guard let memory = ZeroedMemory.allocate(byteCount: Self.byteCount) else { return nil }
    self.init(memory: memory)
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed.
  init(memory: UnsafeMutableRawPointer) { word = memory.bindMemory(to: Atomic<UInt32>.self, capacity: 1) }

  /// The parker whose word lies at an address; nil for 0.
  init?(address: UInt) {
    guard let word = UnsafeMutablePointer<Atomic<UInt32>>(bitPattern: address) else { return nil }
    self.word = word
  }

  /// The address of the word.
  var address: UInt { UInt(bitPattern: word) }

  private var rawWord: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(word).assumingMemoryBound(to: UInt32.self)
  }

  /// Wakes the watchdog if it is parked. On a watched thread: one load; if it is parked, also a compare-and-swap and
  /// one system call. The watchdog then stays unparked for a threshold's time, so this happens at most once in it.
  @inline(__always)
  func wakeIfParked() {
    if word.pointee.load(ordering: .sequentiallyConsistent) == State.parked { wake() }
  }

  private func wake() {
    let (exchanged, _) = word.pointee.compareExchange(
      expected: State.parked, desired: State.timed, ordering: .sequentiallyConsistent)
    if exchanged { stallwatch_wake(rawWord) }
  }

  /// Makes the watchdog look now, whatever it sleeps for. Any thread, but not from an observer's callback.
  func alert() {
    word.pointee.store(State.alerted, ordering: .sequentiallyConsistent)
    stallwatch_wake(rawWord)
  }

  /// Sleeps until `deadline` or until alerted. Watchdog's thread only.
  func sleep(until deadline: Nanoseconds) {
    stallwatch_wait(rawWord, State.timed, deadline)
    _ = word.pointee.compareExchange(
      expected: State.alerted, desired: State.timed, ordering: .sequentiallyConsistent)
  }

  /// Sleeps until woken or alerted, or until `deadline` unless that is 0. Calls `isIdle` after the word says parked,
  /// and stays awake if a loop is held: so either this look or that loop's look at the word sees the other. Watchdog's
  /// thread only.
  func park(until deadline: Nanoseconds, if isIdle: () -> Bool) {
    let (exchanged, _) = word.pointee.compareExchange(
      expected: State.timed, desired: State.parked, ordering: .sequentiallyConsistent)
    if exchanged, isIdle() {
      while word.pointee.load(ordering: .sequentiallyConsistent) == State.parked {
        stallwatch_wait(rawWord, State.parked, deadline)
        if deadline != 0, Platform.now() >= deadline { break }
      }
    }
    word.pointee.store(State.timed, ordering: .sequentiallyConsistent)
  }
}
