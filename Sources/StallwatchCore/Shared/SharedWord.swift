import Synchronization

/// A number that one thread writes and others read. It lies in memory that its owner provides zeroed, which is a valid
/// number 0, and never moves.
///
/// Each access is a plain load or store: a single writer needs no read-modify-write instruction. Relaxed order, unless
/// a method says otherwise: a reader may see one number of a record before another, by one record at most, and catches
/// up at the next reading.
@usableFromInline
struct SharedWord: ~Copyable {
  @usableFromInline let word = Atomic<UInt64>(0)

  @inlinable @inline(__always)
  func load() -> UInt64 { word.load(ordering: .relaxed) }

  @inlinable @inline(__always)
  func acquire() -> UInt64 { word.load(ordering: .acquiring) }

  @inline(__always)
  func store(_ value: UInt64) { word.store(value, ordering: .relaxed) }

  @inline(__always)
  func release(_ value: UInt64) { word.store(value, ordering: .releasing) }

  /// The number, for the single writer, without the atomic access that costs it an instruction more: nobody else
  /// changes it.
  @inline(__always)
  static func own(_ word: UnsafeMutablePointer<SharedWord>) -> UInt64 { UnsafeRawPointer(word).load(as: UInt64.self) }

  /// Stores so that no later load of the same thread overtakes it.
  @inline(__always)
  func storeFenced(_ value: UInt64) { word.store(value, ordering: .sequentiallyConsistent) }

  @inline(__always)
  func loadFenced() -> UInt64 { word.load(ordering: .sequentiallyConsistent) }

  /// For the single writer.
  @inline(__always)
  func add(_ value: UInt64) { store(load() &+ value) }

  /// For the single writer, in order: a thread that sees the sum has seen what was stored before.
  @inline(__always)
  func addReleasing(_ value: UInt64) { release(load() &+ value) }
}

/// Names the words of a piece of shared memory: a struct of ``SharedWord``s alone, in the order of its declarations.
protocol SharedFields: ~Copyable {}

extension SharedFields where Self: ~Copyable {
  /// The memory that the fields take, in bytes.
  @inline(__always)
  static var byteCount: Int { MemoryLayout<Self>.size }

  /// The number of words.
  @inline(__always)
  static var wordCount: Int { byteCount / MemoryLayout<SharedWord>.stride }
  /// The last word, where a part of a larger piece counts for itself.
  @inline(__always)
  static func last(_ fields: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<SharedWord> {
    // A struct of words alone is laid out as an array of them.
    UnsafeMutableRawPointer(fields).assumingMemoryBound(to: SharedWord.self) + (wordCount - 1)
  }

  /// The fields in zeroed memory, aligned to 8, which must never move or be freed while in use.
  @inline(__always)
  static func bind(_ memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
    memory.bindMemory(to: Self.self, capacity: 1)
  }

  /// Sets all words to 0, once no thread uses them any more.
  static func clear(_ fields: UnsafeMutablePointer<Self>) {
    let words = UnsafeMutableRawPointer(fields).assumingMemoryBound(to: SharedWord.self)
    for place in 0..<wordCount { words[place].store(0) }
  }
}
