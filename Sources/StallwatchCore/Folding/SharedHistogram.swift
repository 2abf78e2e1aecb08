import Synchronization

/// The counters of one histogram; one thread writes them, others read. They only grow.
///
/// A word marks those that may differ from 0: the cost of reading and clearing follows what was counted, not the size.
struct SharedHistogram: @unchecked Sendable {
  /// The zeroed memory that the counters take, in bytes.
  static let byteCount = HistogramLayout.bucketCount * 4

  /// A bit for each group of counters, from the lowest on.
  private let used: UnsafeMutablePointer<Atomic<UInt64>>
  private let counters: UnsafeMutablePointer<Atomic<UInt32>>

  /// With 3,584 counters there are 56 groups, which fit into a word.
  private static let groupSize = 64

  /// Takes a zeroed word, and ``byteCount`` zeroed bytes aligned to 8, which must never move or be freed while in use.
  init(used: UnsafeMutablePointer<Atomic<UInt64>>, memory: UnsafeMutableRawPointer) {
    self.used = used
    counters = memory.bindMemory(to: Atomic<UInt32>.self, capacity: HistogramLayout.bucketCount)
  }

  /// The counter at `index`; it wraps around at 2^32, and differences remain right.
  subscript(index: Int) -> UInt32 { counters[index].load(ordering: .relaxed) }

  /// Counts a duration. For the writing thread.
  ///
  /// Reads nothing but what the same instruction writes: a page that is read first is backed twice, by a page of zeros
  /// and then by its own, which interrupts the other processors.
  @inline(__always)
  func add(_ duration: Nanoseconds) {
    let index = HistogramLayout.index(of: duration)
    counters[index].store(counters[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    let group = UInt64(truncatingIfNeeded: index / Self.groupSize)
    used.pointee.store(used.pointee.load(ordering: .relaxed) | 1 &<< group, ordering: .relaxed)
  }

  /// Passes the counters that may differ from 0 to `body`, in ascending order.
  @inline(__always)
  func forEachUsed(_ body: (_ index: Int, _ count: UInt32) -> Void) {
    var groups = used.pointee.load(ordering: .relaxed)
    while groups != 0 {
      let first = groups.trailingZeroBitCount * Self.groupSize
      for index in first..<first + Self.groupSize { body(index, self[index]) }
      groups &= groups - 1
    }
  }

  /// Empties the histogram. Call it when no thread writes any more.
  func clear() {
    forEachUsed { index, count in
      if count != 0 { counters[index].store(0, ordering: .relaxed) }
    }
    used.pointee.store(0, ordering: .relaxed)
  }
}
