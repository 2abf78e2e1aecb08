import Synchronization

/// A callout that came late while a span of the loop was a stall, or one that was part of a stall itself, and the due
/// times that were missed by it.
public struct LateFire: Equatable, Sendable {
  /// The timer's place in the registry's table.
  public var slot: UInt32
  /// Whether it tells of a callout that came late; else of due times that were missed during the timer's own callout.
  public var isCallout: Bool
  /// The due time that the callout served.
  public var due: Nanoseconds
  /// The timer's interval; 0 for a one-shot.
  public var interval: Nanoseconds
  /// The due times after this moment were missed: after ``due``, or after the own callout's beginning.
  public var from: Nanoseconds
  /// And those up to this one: the callout's beginning, or the own callout's end.
  public var at: Nanoseconds

  /// A late callout.
  public init(
    slot: UInt32, isCallout: Bool, due: Nanoseconds, interval: Nanoseconds, from: Nanoseconds, at moment: Nanoseconds
  ) {
    self.slot = slot
    self.isCallout = isCallout
    self.due = due
    self.interval = interval
    self.from = from
    at = moment
  }

  /// How many due times were missed.
  public var missed: UInt64 { missed(from: 0, until: at) }

  /// Of these, how many lie in `start ... end`.
  func missed(from start: Nanoseconds, until end: Nanoseconds) -> UInt64 {
    guard interval > 0, at.since(due) >= interval else { return 0 }
    return DueGrid(first: due.saturatingAdd(interval), interval: interval).count(
      from: max(start, from.saturatingAdd(1)), until: min(end, at))
  }
}

/// A bounded queue of late callouts from a loop's thread to the watchdog: one writer, one reader, no lock, no allocation.
///
/// A stall makes each timer late once, so it holds the victims of a stall in a program with as many timers.
public struct LateFireQueue: @unchecked Sendable {
  /// How many fit: 1,024.
  public static let capacity = 1_024
  /// How much zeroed memory a queue takes.
  public static let byteCount = 4 * 8 + capacity * MemoryLayout<LateFire>.stride

  /// Where the queue lies.
  public let memory: UnsafeMutableRawPointer
  private let words: SharedWords
  private let fires: UnsafeMutablePointer<LateFire>

  private enum Word {
    static let written = 0
    static let read = 1
    static let lost = 2
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  public init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
    words = SharedWords(memory: memory, count: 4)
    fires = (memory + 4 * 8).bindMemory(to: LateFire.self, capacity: Self.capacity)
  }

  /// Late callouts that did not fit.
  public var lost: UInt64 { words.load(Word.lost) }

  /// Adds one, or counts it as lost. The loop's thread only.
  func push(_ fire: LateFire) {
    let written = words.load(Word.written)
    guard written &- words.acquire(Word.read) < UInt64(Self.capacity) else {
      words.add(Word.lost, 1)
      return
    }
    fires[Int(written % UInt64(Self.capacity))] = fire
    words.release(Word.written, written &+ 1)
  }

  /// Takes the oldest, if there is one. The watchdog only.
  public func pop() -> LateFire? {
    let read = words.load(Word.read)
    guard read != words.acquire(Word.written) else { return nil }
    let fire = fires[Int(read % UInt64(Self.capacity))]
    words.release(Word.read, read &+ 1)
    return fire
  }

  /// Empties the queue and its counters, for memory that is used again.
  public func clear() { for word in 0..<3 { words.store(word, 0) } }
}
