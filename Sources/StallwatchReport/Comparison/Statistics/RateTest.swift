#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether two rates of events differ: given how many there were in all, how many of them fall to one side is binomial if
/// the rates are the same (Przyborowski and Wilenski, "Homogeneity of results in testing samples from Poisson series",
/// Biometrika 31, 1940).
enum RateTest {
  /// How likely counts are to differ at least so much by chance, of events that are as frequent on both sides. Exposures
  /// are in any unit; one of 0 says nothing.
  ///
  /// Events that come in clumps differ more than single ones: `dispersion` is by how much the variance of counts exceeds
  /// their mean, and the counts weigh as much less (quasi-likelihood: McCullagh and Nelder, "Generalized Linear Models",
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

  /// How much more counts of equal slices of time vary than single events would: their variance by their mean; 1 where
  /// they vary less, or are too few to tell.
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
      // With so many events, or parts of them, the normal distribution does, half an event to the safe side.
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
