import Synchronization

/// A bounded queue of ``LongSpell``s from a loop's thread to the watchdog: one writer, one reader, no lock, no
/// allocation.
///
/// A threshold's time of the loop makes three entries at most, so the queue overflows only if the watchdog does not run
/// for `capacity / 3` thresholds: 17 s by default.
package struct SpellQueue: @unchecked Sendable {
  /// The most spells it holds: 1,024.
  package static let capacity = 1_024
  /// The zeroed memory that a queue takes, in bytes.
  package static let byteCount = 4 * 8 + capacity * MemoryLayout<LongSpell>.stride

  private let words: SharedWords
  private let spells: UnsafeMutablePointer<LongSpell>

  private enum Word {
    static let written = 0
    static let read = 1
    static let lost = 2
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(memory: UnsafeMutableRawPointer) {
    words = SharedWords(memory: memory, count: 4)
    spells = (memory + 4 * 8).bindMemory(to: LongSpell.self, capacity: Self.capacity)
  }

  /// How many spells did not fit.
  package var lost: UInt64 { words.load(Word.lost) }

  /// Adds a spell; false, and counted as lost, when the queue is full. For the loop's thread.
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

  /// Removes and returns the oldest spell; nil when the queue is empty. For the watchdog.
  package func pop() -> LongSpell? {
    let read = words.load(Word.read)
    guard read != words.acquire(Word.written) else { return nil }
    let spell = spells[Int(read % UInt64(Self.capacity))]
    words.release(Word.read, read &+ 1)
    return spell
  }

  /// Empties the queue and its counters, so that another loop can use the memory.
  package func clear() {
    // Does not write to the page of an unused queue, which would then be backed.
    for word in 0..<3 where words.load(word) != 0 { words.store(word, 0) }
  }
}
