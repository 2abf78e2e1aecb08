import StallwatchLibc

/// Quantiles of the normal distribution and its kin, good to some digits: intervals show no more than two.
package enum Normal {
  /// The half width of a 95 % interval, in standard errors.
  static let interval = 1.959964
  /// What 95 % of values stay below, in standard errors.
  static let likely = 1.644854

  /// The half width of a 95 % interval whose standard error is known from this many degrees of freedom only (Student's
  /// distribution by the expansion of Fisher and Cornish, "The percentile points of distributions having known
  /// cumulants", Technometrics 2, 1960).
  package static func interval(degrees: Double) -> Double {
    guard degrees >= 1 else { return .infinity }
    // The expansion is too short for one and two: these are the exact values.
    if degrees < 1.5 { return 12.7062 }
    if degrees < 2.5 { return 4.3027 }
    let z = interval
    let powers = (three: z * z * z, five: z * z * z * z * z, seven: z * z * z * z * z * z * z)
    let first = (powers.three + z) / 4 / degrees
    let second = (5 * powers.five + 16 * powers.three + 3 * z) / 96 / (degrees * degrees)
    let third =
      (3 * powers.seven + 19 * powers.five + 17 * powers.three - 15 * z) / 384 / (degrees * degrees * degrees)
    return z + first + second + third
  }

  /// What 95 % of values of chi-squared with this many degrees of freedom stay below (Wilson and Hilferty, "The
  /// distribution of chi-square", Proceedings of the National Academy of Sciences 17, 1931).
  static func likelyChiSquared(degrees: Double) -> Double {
    let part = 2 / (9 * max(degrees, 1))
    let root = 1 - part + likely * part.squareRoot()
    return max(degrees, 1) * root * root * root
  }
}
