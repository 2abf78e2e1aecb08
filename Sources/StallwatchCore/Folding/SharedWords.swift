import Synchronization

/// Counters that one thread writes and others read, in memory that its owner provides zeroed and never moves.
///
/// Each access is a plain load or store: a single writer needs no read-modify-write instruction. Relaxed order: a
/// reader may see one counter of a record before another, by one record at most, and catches up at the next reading.
struct SharedWords: @unchecked Sendable {
  private let words: UnsafeMutablePointer<Atomic<UInt64>>

  /// Takes `count` zeroed words at `memory`, aligned to 8. A zeroed word is a valid `Atomic` of value 0.
  init(memory: UnsafeMutableRawPointer, count: Int) {
    words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
  }

  /// The address of a word, for types that share the memory.
  func address(of word: Int) -> UnsafeMutablePointer<Atomic<UInt64>> { words + word }

  @inline(__always)
  func load(_ word: Int) -> UInt64 { words[word].load(ordering: .relaxed) }

  @inline(__always)
  func acquire(_ word: Int) -> UInt64 { words[word].load(ordering: .acquiring) }

  @inline(__always)
  func store(_ word: Int, _ value: UInt64) { words[word].store(value, ordering: .relaxed) }

  @inline(__always)
  func release(_ word: Int, _ value: UInt64) { words[word].store(value, ordering: .releasing) }

  /// Stores so that no later load of the same thread overtakes it.
  @inline(__always)
  func storeFenced(_ word: Int, _ value: UInt64) { words[word].store(value, ordering: .sequentiallyConsistent) }

  @inline(__always)
  func loadFenced(_ word: Int) -> UInt64 { words[word].load(ordering: .sequentiallyConsistent) }

  /// Adds to a word. For the single writer.
  @inline(__always)
  func add(_ word: Int, _ value: UInt64) { store(word, load(word) &+ value) }
}
