import Synchronization

/// A bounded queue of ``LongSpell``s from a loop's thread to the watchdog: one writer, one reader, no lock, no
/// allocation.
///
/// An entry stands for at least one threshold's time of the loop (three entries at most), so the queue overflows only
/// if the watchdog does not run for `capacity / 3` thresholds: 17 s by default.
public struct SpellQueue: @unchecked Sendable {
  /// How many spells fit: 1,024.
  public static let capacity = 1_024
  /// How much zeroed memory a queue takes.
  public static let byteCount = 4 * 8 + capacity * MemoryLayout<LongSpell>.stride

  private let words: SharedWords
  private let spells: UnsafeMutablePointer<LongSpell>

  private enum Word {
    static let written = 0
    static let read = 1
    static let lost = 2
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  public init(memory: UnsafeMutableRawPointer) {
    words = SharedWords(memory: memory, count: 4)
    spells = (memory + 4 * 8).bindMemory(to: LongSpell.self, capacity: Self.capacity)
  }

  /// Spells that did not fit.
  public var lost: UInt64 { words.load(Word.lost) }

  /// Adds a spell; false, and counted as lost, when there is no room. The loop's thread only.
  func push(_ spell: LongSpell) -> Bool {
    let written = words.load(Word.written)
    guard written &- words.acquire(Word.read) < UInt64(Self.capacity) else {
      words.add(Word.lost, 1)
      return false
    }
    spells[Int(written % UInt64(Self.capacity))] = spell
    words.release(Word.written, written &+ 1)
    return true
  }

  /// Takes the oldest spell, if there is one. The watchdog only.
  public func pop() -> LongSpell? {
    let read = words.load(Word.read)
    guard read != words.acquire(Word.written) else { return nil }
    let spell = spells[Int(read % UInt64(Self.capacity))]
    words.release(Word.read, read &+ 1)
    return spell
  }

  /// Empties the queue and its counters, for memory that is used again.
  public func clear() {
    // The page of a queue that was not used is not written, for then it would be backed.
    for word in 0..<3 where words.load(word) != 0 { words.store(word, 0) }
  }
}
