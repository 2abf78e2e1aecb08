import Synchronization

/// A callout that came late while a span of the loop was a stall, or one that was a stall itself.
public struct LateFire: Equatable, Sendable {
  /// The timer's place in the registry's table.
  public var slot: UInt32
  /// Whether it tells of a callout that came late; else of due times that were missed during the timer's own callout.
  public var isCallout: Bool
  /// When it was due; for the timer's own callout, when that began.
  public var due: Nanoseconds
  /// The timer's interval; 0 for a one-shot.
  public var interval: Nanoseconds
  /// When the callout began; for the timer's own callout, when that ended.
  public var at: Nanoseconds
  /// Due times between the two that no callout served.
  public var missed: UInt64

  /// A late callout.
  public init(
    slot: UInt32, isCallout: Bool, due: Nanoseconds, interval: Nanoseconds, at moment: Nanoseconds, missed: UInt64
  ) {
    self.slot = slot
    self.isCallout = isCallout
    self.due = due
    self.interval = interval
    at = moment
    self.missed = missed
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
