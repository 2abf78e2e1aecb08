import StallwatchLibc

/// Tests whether two rates of events differ. If the rates are the same, one side's share of all events is binomial
/// (Przyborowski and Wilenski, "Homogeneity of results in testing samples from Poisson series", Biometrika 31, 1940).
enum RateTest {
  /// The probability that counts differ at least this much by chance if events are equally frequent on both sides.
  /// Exposures may have any unit; with an exposure of 0 the result is 1.
  ///
  /// Events that come in clumps vary more than single ones. `dispersion` is the ratio of the counts' variance to their
  /// mean; the counts weigh less by this factor (quasi-likelihood: McCullagh and Nelder, "Generalized Linear Models",
  /// 1989, section 4.5).
  static func chance(
    _ first: Int, in firstExposure: Double, _ second: Int, in secondExposure: Double, dispersion: Double = 1
  ) -> Double {
    guard firstExposure > 0, secondExposure > 0, max(first, second) > 0 else { return 1 }
    let weight = max(dispersion, 1)
    let all = (Double(first) + Double(second)) / weight
    let share = secondExposure / (firstExposure + secondExposure)
    return twoSided(Double(second) / weight, of: all, share: share)
  }

  /// The variance of the counts per slice divided by their mean; at least 1, and 1 where there are too few to tell.
  /// `counts` may leave out empty slices; `slices` is the number of all.
  static func dispersion(of counts: [Int], slices: Int) -> Double {
    guard slices > 1 else { return 1 }
    let mean = Double(counts.reduce(0, +)) / Double(slices)
    guard mean > 0 else { return 1 }
    let empty = Double(max(slices - counts.count, 0))
    let squares = counts.reduce(empty * mean * mean) { $0 + (Double($1) - mean) * (Double($1) - mean) }
    return max(squares / Double(slices - 1) / mean, 1)
  }

  private static func twoSided(_ count: Double, of all: Double, share: Double) -> Double {
    guard all <= 2_000, all == all.rounded(), count == count.rounded() else {
      // The normal approximation serves for many or fractional events; half an event to the safe side.
      let distance = max((count - all * share).magnitude - 0.5, 0)
      return Normal.twoSided(distance / (all * share * (1 - share)).squareRoot())
    }
    let terms = (0...Int(all)).map { place -> Double in
      let some = Double(place)
      let choices = lgamma(all + 1) - lgamma(some + 1) - lgamma(all - some + 1)
      return exp(choices + some * log(share) + (all - some) * log(1 - share))
    }
    let lower = terms.prefix(Int(count) + 1).reduce(0, +)
    let upper = terms.dropFirst(Int(count)).reduce(0, +)
    return min(1, 2 * min(lower, upper))
  }
}
