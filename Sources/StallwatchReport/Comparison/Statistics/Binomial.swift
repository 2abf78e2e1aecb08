import StallwatchLibc

/// The binomial distribution: how many of `all` single events fall into one of two parts of the watched time.
enum Binomial {
  /// The probability that at least `count` of `all` events fall into a part that is `share` of the time.
  static func chance(atLeast count: Int, of all: Int, share: Double) -> Double {
    guard count > 0 else { return 1 }
    guard count <= all, share > 0 else { return 0 }
    guard share < 1 else { return 1 }
    let (inside, outside) = (log(share), log1p(-share))
    let terms = (count...all).map { place -> Double in
      let (some, rest) = (Double(place), Double(all - place))
      let choices = lgamma(some + rest + 1) - lgamma(some + 1) - lgamma(rest + 1)
      return exp(choices + some * inside + rest * outside)
    }
    return min(terms.reduce(0, +), 1)
  }

  /// The 95 % interval of the share, exact whatever the counts (Clopper and Pearson, "The use of confidence or fiducial
  /// limits illustrated in the case of the binomial", Biometrika 26, 1934).
  static func interval(_ count: Int, of all: Int) -> (low: Double, high: Double) {
    guard all > 0 else { return (0, 1) }
    let low = count == 0 ? 0 : bound { chance(atLeast: count, of: all, share: $0) < 0.025 }
    let high = count == all ? 1 : bound { chance(atLeast: count + 1, of: all, share: $0) < 0.975 }
    return (low, high)
  }

  /// The most events for which ``interval(_:of:)`` is cheap; of more, the normal distribution tells as much.
  static let most = 2_000

  /// The share up to which `isBelow` holds.
  private static func bound(_ isBelow: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if isBelow(middle) { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
