/// A bounded queue of ``ServedTick``s from a loop's thread to the watchdog: one writer, one reader, no lock, no
/// allocation.
package struct TickQueue: @unchecked Sendable {
  /// The most ticks it holds: at the shortest interval, 10 ms, the watchdog may fail to read for 10 s.
  package static let capacity = 1_024
  /// The zeroed memory that a queue takes, in bytes.
  package static let byteCount = (Word.ticks + capacity * 3) * 8

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

  /// The number of ticks that did not fit.
  package var lost: UInt64 { words.load(Word.lost) }

  /// Adds a tick, or counts it as lost when the queue is full. For the loop's thread.
  func push(_ tick: ServedTick) {
    let written = words.load(Word.written)
    guard written &- words.acquire(Word.read) < UInt64(Self.capacity) else { return words.add(Word.lost, 1) }
    let word = Self.word(written)
    words.store(word, tick.dueNs)
    words.store(word + 1, tick.servedNs ?? 0)
    words.store(word + 2, tick.inOtherModes)
    words.release(Word.written, written &+ 1)
  }

  /// Removes and returns the oldest tick; nil when the queue is empty. For the watchdog.
  package func pop() -> ServedTick? {
    let read = words.load(Word.read)
    guard read != words.acquire(Word.written) else { return nil }
    let word = Self.word(read)
    let servedNs = words.load(word + 1)
    let tick = ServedTick(
      dueNs: words.load(word), servedNs: servedNs == 0 ? nil : servedNs, inOtherModes: words.load(word + 2))
    words.release(Word.read, read &+ 1)
    return tick
  }

  /// Empties the queue and its counters, so that another loop can use the memory.
  func clear() { for word in 0..<Word.ticks { words.store(word, 0) } }

  private static func word(_ place: UInt64) -> Int { Word.ticks + Int(place % UInt64(capacity)) * 3 }
}
