import Synchronization

/// The memory of histograms' counters, in groups of neighbours. A group is taken when its first counter is: memory
/// backs what durations fell into, side by side, and not the whole range of every histogram. One thread takes and
/// counts, others read.
///
/// Zeroed memory has no group taken. Groups lie in the order of their taking, and are never given back one by one.
struct CounterGroups: @unchecked Sendable {
  /// log2 of ``size``.
  static let sizeMagnitude = 5
  /// The counters of a group: 128 bytes. A group of neighbours spans a quarter of a doubling of durations. Smaller
  /// groups would need longer directories than they save, larger ones waste memory on scattered durations.
  static let size = 1 << sizeMagnitude
  /// The groups of one histogram, 112.
  static let perHistogram = HistogramLayout.bucketCount >> sizeMagnitude
  /// The memory that a group takes, in bytes.
  static let groupByteCount = size * MemoryLayout<UInt32>.stride

  /// Where the counter for a duration lies: ``HistogramLayout/index(of:)`` as the group's place in the directory and
  /// the counter's in the group. For durations of at most ``HistogramLayout/highestTrackable``.
  @inline(__always)
  static func place(of duration: Nanoseconds) -> (group: Int, counter: Int) {
    let (half, unit) = (HistogramLayout.subBucketHalfMagnitude, HistogramLayout.unitMagnitude)
    let zeros = (duration | HistogramLayout.firstBucket).leadingZeroBitCount
    // The highest bit goes to the top: the next bits are the same for all durations in a group, those after them for
    // all in a counter. The compiler takes half the instructions for this that it takes for a shift to the bottom.
    let aligned = duration &<< UInt64(truncatingIfNeeded: zeros)
    let groupBits = half &+ 1 &- sizeMagnitude
    let bucket = 63 &- half &- unit &- zeros
    return (
      Int(truncatingIfNeeded: aligned &>> UInt64(64 &- groupBits)) &+ bucket &<< (half &- sizeMagnitude),
      Int(truncatingIfNeeded: aligned &>> UInt64(63 &- half)) & (size &- 1)
    )
  }

  /// A histogram's directory: where each of its groups begins, from the shortest durations on, as the number of
  /// counters before it and ``size`` more; 0 for one that is not taken.
  typealias Directory = UnsafeMutablePointer<Atomic<UInt16>>
  /// The memory that a directory takes, in bytes.
  static let directoryByteCount = perHistogram * MemoryLayout<UInt16>.stride

  /// Moves a directory's entries to another one. For the writing thread, while nobody else reads either.
  static func move(_ directory: Directory, to other: Directory) {
    for place in 0..<perHistogram { other[place].store(directory[place].load(ordering: .relaxed), ordering: .relaxed) }
    clear(directory)
  }

  /// Forgets a directory's groups, when no thread uses them any more.
  static func clear(_ directory: Directory) {
    for place in 0..<perHistogram { directory[place].store(0, ordering: .relaxed) }
  }

  /// How many groups are taken.
  let taken: UnsafeMutablePointer<SharedWord>
  /// Where the counters would begin if there were one more group.
  private let counters: UnsafeMutablePointer<Atomic<UInt32>>

  /// Takes the count, which is zeroed, and memory for the groups: ``groupByteCount`` zeroed bytes for each group of the
  /// histograms that share it, of which there are 18 at most, aligned to 8. It must never move or be freed while in
  /// use.
  @inline(__always)
  init(taken: UnsafeMutablePointer<SharedWord>, memory: UnsafeMutableRawPointer) {
    self.taken = taken
    counters = (memory - Self.groupByteCount).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// A counter in the group that a directory says begins there, which is not 0.
  @inline(__always)
  func counter(_ place: Int, in group: UInt16) -> UnsafeMutablePointer<Atomic<UInt32>> {
    counters + (Int(group) | place)
  }

  /// Takes the next group for a place in a directory. For the writing thread.
  func take(for entry: borrowing Atomic<UInt16>) -> UInt16 {
    let before = taken.pointee.load()
    taken.pointee.store(before &+ 1)
    let group = UInt16(truncatingIfNeeded: (before &+ 1) &<< UInt64(Self.sizeMagnitude))
    entry.store(group, ordering: .relaxed)
    return group
  }

  /// Passes the counters of a directory's groups to `body`, with their places in ``HistogramLayout``, in ascending order,
  /// as long as it returns true.
  @inline(__always)
  func forEachCounter(in directory: Directory, _ body: (_ index: Int, _ count: UInt32) -> Bool) {
    for place in 0..<Self.perHistogram {
      let group = directory[place].load(ordering: .relaxed)
      guard group != 0 else { continue }
      for counter in 0..<Self.size {
        let count = self.counter(counter, in: group).pointee.load(ordering: .relaxed)
        guard body(place * Self.size + counter, count) else { return }
      }
    }
  }

  /// Moves all counters to other groups, which are taken in the same order, and gives these ones back. O(taken groups).
  /// For the writing thread, while nobody else reads either.
  func move(to others: CounterGroups) {
    let taken = taken.pointee.load()
    for place in Self.size..<(Int(taken) + 1) * Self.size {
      others.counters[place].store(counters[place].load(ordering: .relaxed), ordering: .relaxed)
    }
    others.taken.pointee.store(taken)
    clear()
  }

  /// Gives all groups back, when no thread uses them any more. Leaves unused ones untouched, so that no memory backs
  /// them.
  func clear() {
    for place in Self.size..<(Int(taken.pointee.load()) + 1) * Self.size {
      counters[place].store(0, ordering: .relaxed)
    }
    taken.pointee.store(0)
  }
}
