/// A bounded queue of ``ServedTick``s from a loop's thread to the watchdog: one writer, one reader, no lock, no
/// allocation.
public struct TickQueue: @unchecked Sendable {
  /// How many fit: at the shortest interval, 10 ms, the watchdog may be away for 10 s.
  public static let capacity = 1_024
  /// How much zeroed memory a queue takes.
  public static let byteCount = (Word.ticks + capacity * 3) * 8

  private let words: SharedWords

  private enum Word {
    static let written = 0
    static let read = 1
    static let lost = 2
    static let ticks = 3
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  init(memory: UnsafeMutableRawPointer) {
    words = SharedWords(memory: memory, count: Self.byteCount / 8)
  }

  /// Ticks that did not fit.
  public var lost: UInt64 { words.load(Word.lost) }

  /// Adds a tick, or counts it as lost when there is no room. The loop's thread only.
  func push(_ tick: ServedTick) {
    let written = words.load(Word.written)
    guard written &- words.acquire(Word.read) < UInt64(Self.capacity) else { return words.add(Word.lost, 1) }
    let word = Self.word(written)
    words.store(word, tick.dueNs)
    words.store(word + 1, tick.servedNs ?? 0)
    words.store(word + 2, tick.inOtherModes)
    words.release(Word.written, written &+ 1)
  }

  /// Takes the oldest tick, if there is one. The watchdog only.
  public func pop() -> ServedTick? {
    let read = words.load(Word.read)
    guard read != words.acquire(Word.written) else { return nil }
    let word = Self.word(read)
    let servedNs = words.load(word + 1)
    let tick = ServedTick(
      dueNs: words.load(word), servedNs: servedNs == 0 ? nil : servedNs, inOtherModes: words.load(word + 2))
    words.release(Word.read, read &+ 1)
    return tick
  }

  /// Empties the queue and its counters, for memory that is used again.
  func clear() { for word in 0..<Word.ticks { words.store(word, 0) } }

  private static func word(_ place: UInt64) -> Int { Word.ticks + Int(place % UInt64(capacity)) * 3 }
}
