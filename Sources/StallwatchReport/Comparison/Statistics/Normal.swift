import StallwatchLibc

/// The standard normal distribution.
enum Normal {
  /// The probability that a standard normal value lies at least as far from 0 as `z`, on either side.
  static func twoSided(_ z: Double) -> Double { z.isFinite ? erfc(z.magnitude / 2.0.squareRoot()) : 1 }
}
