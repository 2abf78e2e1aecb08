/// The ledger's memory of one timer: counters that only grow, and where the timer stands on its grid.
///
/// The thread of the timer's loop writes; the watchdog reads and subtracts. When a timer ends on another thread, that
/// thread writes last, once the timer can fire no more.
package struct TimerBoard: @unchecked Sendable {
  /// The zeroed memory that a timer takes: 15 KB, of which the system backs only touched pages.
  package static let byteCount = Word.count * 8 + SharedHistogram.byteCount

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
    /// When that callout began, and when it ended; the end is 0 while it goes on.
    static let begin = 14
    static let end = 15
    /// The first due time of a grid with none served yet; 0 without such a grid. It ends the grid of ``due``.
    static let armed = 16
    /// The interval of the grid of ``due``.
    static let interval = 17
    /// How many due times after ``due`` had passed unserved when they were last counted.
    static let missed = 18
    /// When the grid of ``due`` ended, if that was in the timer's own callout; otherwise 0.
    static let left = 19
    /// The interval of the next grid.
    static let nextInterval = 20
    /// How many callouts are under way: more than one where one-shots share a board and one fires inside the other.
    static let callouts = 21
    /// The sum of due times dropped by mode or outside, written after each of those counts.
    static let explained = 22
    /// The modes in which it is, or was seen to fire, a bit each.
    static let modes = 23
    /// Which counters of the lateness may differ from 0.
    static let usedLateness = 24
    static let droppedByMode = 25
    static let count = droppedByMode + modeCount
  }

  /// How many modes are kept apart; a loop has no more.
  package static let modeCount = 64

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(memory: UnsafeMutableRawPointer) {
    words = SharedWords(memory: memory, count: Word.count)
    lateness = SharedHistogram(used: words.address(of: Word.usedLateness), memory: memory + Word.count * 8)
  }

  /// How many due times a callout served.
  package var fired: UInt64 { words.load(Word.fired) }
  /// How many due times no callout served.
  package var dropped: UInt64 { words.load(Word.dropped) }
  /// When the timer ended, on the monotonic clock; nil while it may fire.
  package var endedNs: Nanoseconds? {
    let ended = words.acquire(Word.ended)
    return ended == 0 ? nil : ended
  }

  /// The modes that the timer is in: a bit for each mode's place in the loop's table.
  package var modes: UInt64 { words.load(Word.modes) }
  /// Whether a callout has begun and not returned.
  package var isInCallout: Bool { words.load(Word.begin) != 0 && words.load(Word.end) == 0 }

  /// Sets the timer's first due time, and its interval; 0 for a one-shot. Call it before the first callout.
  package func arm(due: Nanoseconds, interval: Nanoseconds) {
    words.store(Word.nextInterval, interval)
    words.store(Word.armed, due)
  }

  /// Empties the board for another timer, once no thread can be in it any more. Leaves unused parts untouched, so that
  /// no memory backs them.
  package func clear() {
    lateness.clear()
    for word in 0..<Word.count { words.store(word, 0) }
  }
}
