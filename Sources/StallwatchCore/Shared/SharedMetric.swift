import Synchronization

/// The samples of one metric: their number, sum, longest, and a histogram. One thread records, others read. All numbers
/// only grow.
///
/// A word marks the counters of the histogram that may differ from 0: the cost of reading and clearing follows what was
/// recorded, not the size.
package struct SharedMetric: @unchecked Sendable {
  struct Fields: ~Copyable, SharedFields {
    /// How many samples there are. Stored last: a reader that has seen it has seen the rest of these samples.
    let count: SharedWord
    let total: SharedWord
    let maximum: SharedWord
    /// A bit for each group of counters, from the lowest on.
    let used: SharedWord
  }

  /// The zeroed memory that the counters take, in bytes.
  static var histogramByteCount: Int { HistogramLayout.bucketCount * 4 }
  /// With 3,584 counters there are 56 groups, which fit into a word.
  private static var groupSize: Int { 64 }

  let fields: UnsafeMutablePointer<Fields>
  private let counters: UnsafeMutablePointer<Atomic<UInt32>>

  /// Takes the fields, and ``histogramByteCount`` zeroed bytes aligned to 8, which must never move or be freed while in
  /// use.
  @inline(__always)
  init(fields: UnsafeMutablePointer<Fields>, histogram: UnsafeMutableRawPointer) {
    self.fields = fields
    counters = histogram.bindMemory(to: Atomic<UInt32>.self, capacity: HistogramLayout.bucketCount)
  }

  /// How many samples there are. A later read finds at least these samples.
  package var count: UInt64 { fields.pointee.count.acquire() }
  /// The sum of these samples, in nanoseconds.
  package var total: Nanoseconds { fields.pointee.total.load() }
  /// The longest sample, in nanoseconds.
  package var maximum: Nanoseconds { fields.pointee.maximum.load() }
  /// The counter at `index` of ``HistogramLayout``; it wraps around at 2^32, and differences remain right.
  package subscript(index: Int) -> UInt32 { counters[index].load(ordering: .relaxed) }

  /// Adds a sample. For the writing thread.
  ///
  /// Reads nothing of the histogram but what the same instruction writes: a page that is read first is backed twice, by
  /// a page of zeros and then by its own, which interrupts the other processors.
  @inline(__always)
  func record(_ duration: Nanoseconds) {
    let index = HistogramLayout.index(of: duration)
    counters[index].store(counters[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    let group = UInt64(truncatingIfNeeded: index / Self.groupSize)
    fields.pointee.used.store(fields.pointee.used.load() | 1 &<< group)
    fields.pointee.total.add(duration)
    if duration > fields.pointee.maximum.load() { fields.pointee.maximum.store(duration) }
    fields.pointee.count.addReleasing(1)
  }

  /// Passes the counters that may differ from 0 to `body`, in ascending order.
  @inline(__always)
  func forEachUsed(_ body: (_ index: Int, _ count: UInt32) -> Void) {
    var groups = fields.pointee.used.load()
    while groups != 0 {
      let first = groups.trailingZeroBitCount * Self.groupSize
      for index in first..<first + Self.groupSize { body(index, self[index]) }
      groups &= groups - 1
    }
  }

  /// Removes all samples, when no thread writes any more. Leaves unused parts untouched, so that no memory backs them.
  func clear() {
    forEachUsed { index, count in
      if count != 0 { counters[index].store(0, ordering: .relaxed) }
    }
    Fields.clear(fields)
  }
}
