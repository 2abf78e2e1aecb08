import StallwatchCore

/// Counters of a ``HistogramLayout`` histogram that are not 0, in ascending order of their places. One that has counted
/// up to 15 takes two bytes, up to a million six, and more 14: a writer keeps hundreds of counters of each mode until the
/// next closing, and where durations are of many lengths, nearly all have counted few. Fastest to walk in order, by
/// `for`: the iterator finds a large counter where the last one was, and a subscript searches.
package struct PackedBuckets: RandomAccessCollection, Sendable, Equatable {
  /// A place, and in the lowest bits a count; 0 stands for a greater one, in `medium`.
  private var small: [UInt16] = []
  /// The same of the counters that have counted more; 0 stands for a greater count, in `large`.
  private var medium: [UInt32] = []
  /// The counters that have counted more than that, in ascending order of their places.
  private var large: [HistogramBucket] = []

  private static let smallBits = 4
  private static let mostSmall: UInt64 = 1 << smallBits - 1
  private static let mediumBits = 20
  private static let mostMedium: UInt64 = 1 << mediumBits - 1

  /// No counters.
  init() {}

  /// Counters that come in ascending order of their places.
  init(_ buckets: some Sequence<HistogramBucket>) {
    for bucket in buckets { append(bucket) }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { small.count }
  package subscript(position: Int) -> HistogramBucket {
    let bucket = Self.bucket(small[position])
    if bucket.count > 0 { return bucket }
    let more = Self.bucket(medium[placeOfMedium(bucket.index)])
    return more.count > 0 ? more : large[placeOfLarge(bucket.index)]
  }

  package func makeIterator() -> Iterator { Iterator(small: small, medium: medium, large: large) }

  /// Walks the counters in ascending order of their places.
  package struct Iterator: IteratorProtocol {
    fileprivate let small: [UInt16]
    fileprivate let medium: [UInt32]
    fileprivate let large: [HistogramBucket]
    private var position = 0
    private var nextMedium = 0
    private var nextLarge = 0

    fileprivate init(small: [UInt16], medium: [UInt32], large: [HistogramBucket]) {
      (self.small, self.medium, self.large) = (small, medium, large)
    }

    package mutating func next() -> HistogramBucket? {
      guard position < small.count else { return nil }
      let bucket = PackedBuckets.bucket(small[position])
      position += 1
      if bucket.count > 0 { return bucket }
      let more = PackedBuckets.bucket(medium[nextMedium])
      nextMedium += 1
      if more.count > 0 { return more }
      nextLarge += 1
      return large[nextLarge - 1]
    }
  }

  /// How many bytes of memory the counters have room for.
  var capacityBytes: Int { 2 * small.capacity + 4 * medium.capacity + 8 * large.capacity }

  /// Makes room for so many counters that have counted a few.
  mutating func reserveCapacity(_ count: Int) { small.reserveCapacity(count) }

  /// Appends a counter, whose place is beyond those of all others.
  mutating func append(_ bucket: HistogramBucket) {
    small.makeRoom(for: small.count + 1)
    small.append(word(of: bucket))
  }

  /// Adds to the counter at `index`, in `0 ..< HistogramLayout.bucketCount`; fastest in ascending order. Returns by how
  /// much it has grown, which is less than `count` where that exceeds ``HistogramBucket/mostCount``.
  @discardableResult
  mutating func add(_ count: UInt64, at index: Int) -> UInt64 {
    guard count > 0 else { return 0 }
    let position = position(of: index)
    if position < small.count, self.index(at: position) == index { return grow(position, by: count) }
    let bucket = HistogramBucket(index: index, count: count)
    small.makeRoom(for: small.count + 1)
    small.insert(word(of: bucket), at: position)
    return bucket.count
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
    var (position, fresh) = (0, 0)
    for bucket in growth where Self.isCounted(bucket) {
      while position < small.count, index(at: position) < bucket.index { position += 1 }
      if position < small.count, index(at: position) == bucket.index {
        grow(position, by: UInt64(bucket.count))
      } else {
        fresh += 1
      }
    }
    return fresh
  }

  /// Adds to the counter at a position. Returns by how much it has grown.
  @discardableResult
  private mutating func grow(_ position: Int, by more: UInt64) -> UInt64 {
    let known = Self.bucket(small[position])
    if known.count > 0 {
      let grown = HistogramBucket(index: known.index, count: known.count.saturatingAdd(more))
      small[position] = word(of: grown)
      return grown.count - known.count
    }
    let inMedium = placeOfMedium(known.index)
    let knownMore = Self.bucket(medium[inMedium])
    if knownMore.count > 0 {
      let grown = HistogramBucket(index: known.index, count: knownMore.count.saturatingAdd(more))
      medium[inMedium] = mediumWord(of: grown)
      return grown.count - knownMore.count
    }
    let inLarge = placeOfLarge(known.index)
    let before = large[inLarge].count
    large[inLarge].count = before.saturatingAdd(more)
    return large[inLarge].count - before
  }

  /// How many durations count in the counter at `index`.
  func count(at index: Int) -> UInt64 {
    let position = position(of: index)
    return position < small.count && self.index(at: position) == index ? self[position].count : 0
  }

  /// The position of the first counter whose place is not below `index`.
  private func position(of index: Int) -> Int {
    if let last = small.last, Self.bucket(last).index < index { return small.count }
    return small.partitioningIndex { Self.bucket($0).index >= index }
  }

  /// What stands for a counter that is new, or was small until now. Puts a greater one into `medium`.
  private mutating func word(of bucket: HistogramBucket) -> UInt16 {
    let place = UInt16(bucket.index << Self.smallBits)
    if bucket.count > 0, bucket.count <= Self.mostSmall { return place | UInt16(bucket.count) }
    medium.makeRoom(for: medium.count + 1)
    medium.insert(mediumWord(of: bucket), at: placeOfMedium(bucket.index))
    return place
  }

  /// The same in `medium`. Puts a greater one into `large`.
  private mutating func mediumWord(of bucket: HistogramBucket) -> UInt32 {
    let place = UInt32(bucket.index << Self.mediumBits)
    if bucket.count > 0, bucket.count <= Self.mostMedium { return place | UInt32(bucket.count) }
    large.makeRoom(for: large.count + 1)
    large.insert(bucket, at: placeOfLarge(bucket.index))
    return place
  }

  /// The place and the count in a word of `small`, the count 0 if it is a greater one.
  private static func bucket(_ word: UInt16) -> HistogramBucket {
    HistogramBucket(index: Int(word >> UInt16(smallBits)), count: UInt64(word) & mostSmall)
  }

  /// The same for a word of `medium`.
  private static func bucket(_ word: UInt32) -> HistogramBucket {
    HistogramBucket(index: Int(word >> UInt32(mediumBits)), count: UInt64(word) & mostMedium)
  }

  private func index(at position: Int) -> Int { Self.bucket(small[position]).index }

  private func placeOfMedium(_ index: Int) -> Int { medium.partitioningIndex { Self.bucket($0).index >= index } }

  private func placeOfLarge(_ index: Int) -> Int { large.partitioningIndex { $0.index >= index } }

  private static func isCounted(_ bucket: (index: Int, count: UInt32)) -> Bool {
    bucket.count > 0 && (0..<HistogramLayout.bucketCount).contains(bucket.index)
  }
}
