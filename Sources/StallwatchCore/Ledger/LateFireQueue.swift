import Synchronization

/// A callout that came late while a span of the loop was a stall, or one that was part of a stall itself, with the due
/// times missed because of it.
package struct LateFire: Equatable, Sendable {
  /// The timer's place in the registry's table.
  package var slot: UInt32
  /// True for a callout that came late; false for due times missed during the timer's own callout.
  package var isCallout: Bool
  /// The due time that the callout served.
  package var due: Nanoseconds
  /// The timer's interval; 0 for a one-shot.
  package var interval: Nanoseconds
  /// The due times after this moment were missed: after ``due``, or after the beginning of the timer's own callout.
  package var from: Nanoseconds
  /// The last moment of missed due times: the beginning of the callout, or the end of the timer's own callout.
  package var at: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(
    slot: UInt32, isCallout: Bool, due: Nanoseconds, interval: Nanoseconds, from: Nanoseconds, at moment: Nanoseconds
  ) {
    self.slot = slot
    self.isCallout = isCallout
    self.due = due
    self.interval = interval
    self.from = from
    at = moment
  }

  /// How many due times were missed, after ``from`` and up to ``at``.
  package var missed: UInt64 { missed(from: 0, until: at) }

  /// How many of these lie in `start ... end`.
  func missed(from start: Nanoseconds, until end: Nanoseconds) -> UInt64 {
    guard interval > 0, at.since(due) >= interval else { return 0 }
    return DueGrid(first: due.saturatingAdd(interval), interval: interval).count(
      from: max(start, from.saturatingAdd(1)), until: min(end, at))
  }
}

/// A bounded queue of late callouts from a loop's thread to the watchdog: one writer, one reader, no lock, no
/// allocation.
///
/// A stall makes each timer late once, so the queue holds the victims of a stall in a program with as many timers.
package struct LateFireQueue: @unchecked Sendable {
  /// The most callouts it holds: 1,024.
  package static let capacity = 1_024
  /// The zeroed memory that a queue takes, in bytes.
  package static let byteCount = 4 * 8 + capacity * MemoryLayout<LateFire>.stride

  /// The queue's memory, which its creator owns.
  package let memory: UnsafeMutableRawPointer
  private let words: SharedWords
  private let fires: UnsafeMutablePointer<LateFire>

  private enum Word {
    static let written = 0
    static let read = 1
    static let lost = 2
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
    words = SharedWords(memory: memory, count: 4)
    fires = (memory + 4 * 8).bindMemory(to: LateFire.self, capacity: Self.capacity)
  }

  /// How many late callouts did not fit.
  package var lost: UInt64 { words.load(Word.lost) }

  /// Adds a late callout, or counts it as lost when the queue is full. For the loop's thread.
  func push(_ fire: LateFire) {
    let written = words.load(Word.written)
    guard written &- words.acquire(Word.read) < UInt64(Self.capacity) else {
      words.add(Word.lost, 1)
      return
    }
    fires[Int(written % UInt64(Self.capacity))] = fire
    words.release(Word.written, written &+ 1)
  }

  /// Removes and returns the oldest late callout; nil when the queue is empty. For the watchdog.
  package func pop() -> LateFire? {
    let read = words.load(Word.read)
    guard read != words.acquire(Word.written) else { return nil }
    let fire = fires[Int(read % UInt64(Self.capacity))]
    words.release(Word.read, read &+ 1)
    return fire
  }

  /// Empties the queue and its counters, so that another loop can use the memory.
  package func clear() { for word in 0..<3 { words.store(word, 0) } }
}
