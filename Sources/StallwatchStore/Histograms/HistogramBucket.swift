import StallwatchCore

/// A counter of a ``HistogramLayout`` histogram that is not 0. Its place and its count share one word.
package struct HistogramBucket: Equatable, Sendable {
  private var word: UInt64

  /// `index` is a place in ``HistogramLayout``. A count above ``mostCount`` counts as that: more than a store may hold.
  package init(index: Int, count: UInt64) { word = UInt64(index) << Self.countBits | min(count, Self.mostCount) }

  /// Its place in ``HistogramLayout``.
  package var index: Int { Int(word >> Self.countBits) }
  /// How many durations it counts.
  package var count: UInt64 {
    get { word & Self.mostCount }
    set { self = HistogramBucket(index: index, count: newValue) }
  }

  private static let countBits: UInt64 = 48
  /// The most that a counter can count, 2^48 - 1.
  package static let mostCount: UInt64 = 1 << countBits - 1
}
