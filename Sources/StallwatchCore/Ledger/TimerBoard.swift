/// What the ledger knows of one timer: counters that only grow, and where the timer stands on its grid.
///
/// The thread of the timer's loop writes, the watchdog reads and subtracts. A timer that ends on another thread is written
/// by that thread for the last time, when it can fire no more.
public struct TimerBoard: @unchecked Sendable {
  /// How much zeroed memory a timer takes: 15 KB, of which only touched pages are backed.
  public static let byteCount = Word.count * 8 + SharedHistogram.byteCount

  let words: SharedWords
  let lateness: SharedHistogram

  enum Word {
    static let fired = 0
    static let dropped = 1
    static let droppedOutside = 2
    static let coalesced = 3
    static let rearmed = 4
    static let intervalChanges = 5
    static let calloutTotal = 6
    static let calloutMaximum = 7
    static let latenessCount = 8
    static let latenessTotal = 9
    static let latenessMaximum = 10
    static let worstAt = 11
    static let ended = 12
    /// The due time that the last callout served; 0 before the first.
    static let due = 13
    /// When that callout began and ended; 0 while it goes on.
    static let begin = 14
    static let end = 15
    /// The first due time of a grid of which none was served yet; 0 for none. It ends the grid of ``due``.
    static let armed = 16
    /// The interval of the grid of ``due``.
    static let interval = 17
    /// The due times past that one that had passed, unserved, when they were last counted.
    static let missed = 18
    /// When the grid of ``due`` ended, if that was in the timer's own callout; else 0.
    static let left = 19
    /// The interval of the next grid.
    static let nextInterval = 20
    /// Callouts that go on: more than one where one-shots share a board and one fires inside the other.
    static let callouts = 21
    /// The sum of all that are dropped by mode or outside, written after each.
    static let explained = 22
    /// The modes that it was seen to fire in, a bit each.
    static let modes = 23
    /// Which counters of the lateness may not be 0.
    static let usedLateness = 24
    static let droppedByMode = 25
    static let count = droppedByMode + modeCount
  }

  /// Modes that are told apart; a loop has no more.
  public static let modeCount = 64

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  public init(memory: UnsafeMutableRawPointer) {
    words = SharedWords(memory: memory, count: Word.count)
    lateness = SharedHistogram(used: words.address(of: Word.usedLateness), memory: memory + Word.count * 8)
  }

  /// Due times that a callout served.
  public var fired: UInt64 { words.load(Word.fired) }
  /// Due times that no callout served.
  public var dropped: UInt64 { words.load(Word.dropped) }
  /// When it ended; nil while it may fire.
  public var endedNs: Nanoseconds? {
    let ended = words.acquire(Word.ended)
    return ended == 0 ? nil : ended
  }

  /// The modes that it is in, a bit each by their places in the loop's table.
  public var modes: UInt64 { words.load(Word.modes) }
  /// Whether a callout has begun and not returned.
  public var isInCallout: Bool { words.load(Word.begin) != 0 && words.load(Word.end) == 0 }

  /// The timer is due for the first time at `due`, and then every `interval`; 0 for a one-shot. Before its first callout.
  public func arm(due: Nanoseconds, interval: Nanoseconds) {
    words.store(Word.nextInterval, interval)
    words.store(Word.armed, due)
  }

  /// Makes it the board of another timer, when no thread can be in it any more. What was not used is not touched, so that it
  /// is not backed by memory.
  public func clear() {
    lateness.clear()
    for word in 0..<Word.count { words.store(word, 0) }
  }
}
