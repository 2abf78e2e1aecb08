/// The one layout of every duration histogram: HdrHistogram's, with fixed parameters, so that counters filled here can
/// be encoded, merged and read by any HdrHistogram library.
///
/// Resolution is 256 ns below 65 µs and better than 0.8 % above; the range ends at 2^42 ns, 73 minutes, and longer
/// values count in the last bucket (their exact sum and maximum are kept beside the counters). 3,584 counters of 4
/// bytes: 14 KB a histogram, of which the operating system backs only the pages that were touched.
public enum HistogramLayout {
  /// Smallest value told apart from 0, in nanoseconds: HdrHistogram's lowestDiscernibleValue.
  public static let lowestDiscernible: Nanoseconds = 256
  /// HdrHistogram's highestTrackableValue, in nanoseconds.
  public static let highestTrackable: Nanoseconds = (1 << 42) - 1
  /// HdrHistogram's numberOfSignificantValueDigits.
  public static let significantDigits = 2
  /// log2 of ``lowestDiscernible``.
  @usableFromInline static let unitMagnitude = 8
  /// log2 of half the sub-buckets of a bucket: 2 significant digits need 256 sub-buckets.
  @usableFromInline static let subBucketHalfMagnitude = 7
  /// How many counters a histogram has.
  public static let bucketCount = (42 - unitMagnitude - subBucketHalfMagnitude + 1) << subBucketHalfMagnitude

  /// The counter of a duration. O(1), no branch but the clamp.
  @inlinable
  public static func index(of duration: Nanoseconds) -> Int {
    let value = min(duration, highestTrackable)
    let mask: Nanoseconds = ((1 << (UInt64(subBucketHalfMagnitude) + 1)) - 1) << UInt64(unitMagnitude)
    let magnitude = 64 - (value | mask).leadingZeroBitCount
    let bucket = magnitude - unitMagnitude - subBucketHalfMagnitude - 1
    let subBucket = Int(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: bucket + unitMagnitude))
    return (bucket << subBucketHalfMagnitude) + subBucket
  }

  /// The smallest duration that counts in the counter `index`, `0 ..< bucketCount`.
  public static func lowestDuration(at index: Int) -> Nanoseconds {
    let half = 1 << subBucketHalfMagnitude
    if index < 2 * half { return Nanoseconds(index) << Nanoseconds(unitMagnitude) }
    let bucket = (index >> subBucketHalfMagnitude) - 1
    let subBucket = (index & (half - 1)) + half
    return Nanoseconds(subBucket) << Nanoseconds(bucket + unitMagnitude)
  }

  /// The middle of the counter `index`: what a sample in it is taken to be where only the counter is known.
  public static func middleDuration(at index: Int) -> Nanoseconds {
    let lowest = lowestDuration(at: index)
    return lowest + (highestDuration(at: index) + 1 - lowest) / 2
  }

  /// The longest duration that the counter `index` counts; for the last counter, the longest that the layout distinguishes.
  public static func highestDuration(at index: Int) -> Nanoseconds {
    index + 1 < bucketCount ? lowestDuration(at: index + 1) - 1 : highestTrackable
  }
}
