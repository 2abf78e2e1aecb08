/// The one layout of every duration histogram: HdrHistogram's, with fixed parameters, so that any HdrHistogram library
/// can encode, merge and read counters filled here.
///
/// The resolution is 256 ns below 65 µs and better than 0.8 % above. The range ends at 2^42 ns, 73 minutes. Longer
/// values count in the last bucket; their exact sum and maximum are kept beside the counters. A histogram has 3,584
/// counters of 4 bytes; memory holds only the groups of neighbours that were touched.
@usableFromInline
package enum HistogramLayout {
  /// The smallest value distinct from 0, in nanoseconds: HdrHistogram's lowestDiscernibleValue.
  package static let lowestDiscernible: Nanoseconds = 256
  /// The largest value with a bucket of its own, in nanoseconds: HdrHistogram's highestTrackableValue.
  @inlinable package static var highestTrackable: Nanoseconds { (1 << 42) - 1 }
  /// HdrHistogram's numberOfSignificantValueDigits.
  package static let significantDigits = 2
  /// log2 of ``lowestDiscernible``.
  @inlinable static var unitMagnitude: Int { 8 }
  /// log2 of half the sub-buckets of a bucket: 2 significant digits need 256 sub-buckets.
  @inlinable static var subBucketHalfMagnitude: Int { 7 }
  /// log2 of ``lowestDiscernible``, and log2 and number of the counters that each power of two has: for whoever has to
  /// compute durations in another language.
  package static let lowestMagnitude = unitMagnitude
  package static let halfMagnitude = subBucketHalfMagnitude
  package static let halfCount = 1 << subBucketHalfMagnitude
  /// The number of counters in a histogram, 3,584.
  @inlinable package static var bucketCount: Int {
    (42 - unitMagnitude - subBucketHalfMagnitude + 1) << subBucketHalfMagnitude
  }

  /// The place of the counter for `duration`. O(1), with no branch but the clamp.
  @inlinable
  package static func index(of duration: Nanoseconds) -> Int {
    let value = min(duration, highestTrackable)
    let magnitude = 64 - (value | firstBucket).leadingZeroBitCount
    let bucket = magnitude - unitMagnitude - subBucketHalfMagnitude - 1
    let subBucket = Int(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: bucket + unitMagnitude))
    return (bucket << subBucketHalfMagnitude) + subBucket
  }

  /// The bits of the durations in the first bucket, whose counters are all ``lowestDiscernible`` wide.
  @inlinable @inline(__always)
  static var firstBucket: Nanoseconds { ((1 << (UInt64(subBucketHalfMagnitude) + 1)) - 1) << UInt64(unitMagnitude) }

  /// The shortest duration that the counter at `index` counts; `index` is in `0 ..< bucketCount`.
  package static func lowestDuration(at index: Int) -> Nanoseconds {
    let half = 1 << subBucketHalfMagnitude
    if index < 2 * half { return Nanoseconds(index) << Nanoseconds(unitMagnitude) }
    let bucket = (index >> subBucketHalfMagnitude) - 1
    let subBucket = (index & (half - 1)) + half
    return Nanoseconds(subBucket) << Nanoseconds(bucket + unitMagnitude)
  }

  /// The middle of the counter at `index`: the value assumed for a sample when only its counter is known.
  package static func middleDuration(at index: Int) -> Nanoseconds {
    let lowest = lowestDuration(at: index)
    return lowest + (highestDuration(at: index) + 1 - lowest) / 2
  }

  /// The longest duration that the counter at `index` counts; for the last counter, ``highestTrackable``.
  package static func highestDuration(at index: Int) -> Nanoseconds {
    index + 1 < bucketCount ? lowestDuration(at: index + 1) - 1 : highestTrackable
  }
}
