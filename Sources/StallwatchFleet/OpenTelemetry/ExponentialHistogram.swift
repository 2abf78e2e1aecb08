import Foundation
import StallwatchCore
import StallwatchStore

/// An exponential histogram of OpenTelemetry's data model: bucket `i` holds durations in (base^i, base^(i + 1)]
/// seconds, where base = 2^(2^−scale).
///
/// Each counter of a store goes into the bucket that contains the middle of the counter's range. A percentile that is
/// read as the middle of its bucket therefore differs from the store's by at most ``relativeError``, and by 256 ns
/// below 65 µs, where the store's counters are that wide (``HistogramLayout``).
package struct ExponentialHistogram: Sendable, Equatable {
  /// Collectors use 160 buckets for their own measurements, and accept any number. Twice as many keep the error of an
  /// ordinary range, from 0.1 ms to 1 s, below 1 %.
  package static let mostBuckets = 320
  /// The finest scale: its buckets are 1.1 % wide, about as wide as a counter of the store.
  package static let finestScale: Int32 = 6

  /// The higher the scale, the finer the buckets.
  package private(set) var scale: Int32
  /// The index of the first bucket.
  package private(set) var offset: Int32 = 0
  /// The buckets' counts, without gaps.
  package private(set) var counts: [UInt64] = []
  /// The number of durations up to ``zeroThreshold``.
  package private(set) var zeroCount: UInt64 = 0
  /// The number of all durations.
  package private(set) var total: UInt64 = 0
  /// The sum of all durations in seconds, with each taken as the middle of its counter.
  package private(set) var sum = 0.0

  /// In seconds: the shortest duration that a store distinguishes from 0.
  package static let zeroThreshold = seconds(HistogramLayout.lowestDiscernible)

  /// The durations of `histogram`, at the finest scale that needs no more than ``mostBuckets``.
  package init(_ histogram: DurationHistogram) {
    scale = Self.finestScale
    let middles = histogram.buckets.map { bucket in
      let low = HistogramLayout.lowestDuration(at: bucket.index)
      let high = HistogramLayout.highestDuration(at: bucket.index)
      return (seconds: Self.seconds(low) + Self.seconds(high - low) / 2, count: bucket.count)
    }
    let counted = middles.filter { $0.seconds > Self.zeroThreshold }
    if let first = counted.first, let last = counted.last {
      while place(of: last.seconds) - place(of: first.seconds) >= Self.mostBuckets { scale -= 1 }
      offset = Int32(place(of: first.seconds))
      counts = Array(repeating: 0, count: place(of: last.seconds) - Int(offset) + 1)
      for middle in counted { counts[place(of: middle.seconds) - Int(offset)] += middle.count }
    }
    for middle in middles {
      sum += middle.seconds * Double(middle.count)
      if middle.seconds <= Self.zeroThreshold { zeroCount = zeroCount.saturatingAdd(middle.count) }
    }
    total = histogram.totalCount
  }

  /// By how much a percentile of 65 µs or more may differ from the store's own, as a share of it.
  package var relativeError: Double { (base - 1) / 2 + 0.004 }

  /// The ratio of a bucket's bounds.
  package var base: Double { exp2(exp2(Double(-scale))) }

  private func place(of seconds: Double) -> Int { Int((log2(seconds) * exp2(Double(scale))).rounded(.up)) - 1 }

  static func seconds(_ duration: Nanoseconds) -> Double { Double(duration) / 1e9 }
}
