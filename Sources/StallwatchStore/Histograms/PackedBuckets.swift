import StallwatchCore

/// Counters of a ``HistogramLayout`` histogram that are not 0, in ascending order of their places. One that has counted
/// a few takes two bytes, because a writer keeps hundreds of counters of each mode until the next closing, and where
/// durations are of many lengths nearly all have counted one. Fastest to walk in order, by `for`: its iterator finds a
/// large counter where the last one was, and a subscript searches.
struct PackedBuckets: RandomAccessCollection, Sendable, Equatable {
  /// A place, and in the lowest bits a count; 0 stands for a greater one, in `large`.
  private var small: [UInt16] = []
  /// The counters that have counted more, in ascending order of their places.
  private var large: [HistogramBucket] = []

  private static let countBits = 4
  private static let mostSmall: UInt64 = 1 << countBits - 1

  /// No counters.
  init() {}

  /// Counters that come in ascending order of their places.
  init(_ buckets: some Sequence<HistogramBucket>) {
    for bucket in buckets { append(bucket) }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { small.count }
  subscript(position: Int) -> HistogramBucket {
    let (index, count) = (index(at: position), UInt64(small[position]) & Self.mostSmall)
    return count > 0 ? HistogramBucket(index: index, count: count) : large[placeOfLarge(index)]
  }

  func makeIterator() -> Iterator { Iterator(small: small, large: large) }

  /// Walks the counters in ascending order of their places.
  struct Iterator: IteratorProtocol {
    fileprivate let small: [UInt16]
    fileprivate let large: [HistogramBucket]
    private var position = 0
    private var nextLarge = 0

    fileprivate init(small: [UInt16], large: [HistogramBucket]) { (self.small, self.large) = (small, large) }

    mutating func next() -> HistogramBucket? {
      guard position < small.count else { return nil }
      let word = small[position]
      position += 1
      let count = UInt64(word) & PackedBuckets.mostSmall
      if count > 0 { return HistogramBucket(index: Int(word >> UInt16(PackedBuckets.countBits)), count: count) }
      nextLarge += 1
      return large[nextLarge - 1]
    }
  }

  /// Appends a counter, whose place is beyond those of all others.
  mutating func append(_ bucket: HistogramBucket) {
    small.makeRoom(for: small.count + 1)
    small.append(word(of: bucket))
  }

  /// Adds to counters. `growth` is in ascending order of places, none twice. Fastest where few are new.
  mutating func add(_ growth: [(index: Int, count: UInt32)]) {
    let fresh = addToKnown(growth)
    guard fresh > 0 else { return }
    var source = small.count - 1
    small.makeRoom(for: small.count + fresh)
    for _ in 0..<fresh { small.append(0) }
    var target = small.count - 1
    // From the end, so that nothing is overwritten that is still to be moved.
    for bucket in growth.reversed() where Self.isCounted(bucket) {
      while source >= 0, index(at: source) > bucket.index {
        small[target] = small[source]
        (source, target) = (source - 1, target - 1)
      }
      if source >= 0, index(at: source) == bucket.index {
        small[target] = small[source]
        source -= 1
      } else {
        small[target] = word(of: HistogramBucket(index: bucket.index, count: UInt64(bucket.count)))
      }
      target -= 1
    }
  }

  /// Adds to the counters that are there. Returns how many are not.
  private mutating func addToKnown(_ growth: [(index: Int, count: UInt32)]) -> Int {
    var (place, placeOfLarge, fresh) = (0, 0, 0)
    for bucket in growth where Self.isCounted(bucket) {
      while place < small.count, index(at: place) < bucket.index { place += 1 }
      guard place < small.count, index(at: place) == bucket.index else {
        fresh += 1
        continue
      }
      let (more, known) = (UInt64(bucket.count), UInt64(small[place]) & Self.mostSmall)
      if known == 0 {
        while large[placeOfLarge].index < bucket.index { placeOfLarge += 1 }
        large[placeOfLarge].count = large[placeOfLarge].count.saturatingAdd(more)
      } else {
        small[place] = word(of: HistogramBucket(index: bucket.index, count: known.saturatingAdd(more)))
      }
    }
    return fresh
  }

  /// What stands for a counter that is new, or was small until now. Puts a large one into `large`.
  private mutating func word(of bucket: HistogramBucket) -> UInt16 {
    let place = UInt16(bucket.index << Self.countBits)
    if bucket.count > 0, bucket.count <= Self.mostSmall { return place | UInt16(bucket.count) }
    large.makeRoom(for: large.count + 1)
    large.insert(bucket, at: placeOfLarge(bucket.index))
    return place
  }

  private func index(at position: Int) -> Int { Int(small[position] >> UInt16(Self.countBits)) }

  private func placeOfLarge(_ index: Int) -> Int { large.partitioningIndex { $0.index >= index } }

  private static func isCounted(_ bucket: (index: Int, count: UInt32)) -> Bool {
    bucket.count > 0 && (0..<HistogramLayout.bucketCount).contains(bucket.index)
  }
}
