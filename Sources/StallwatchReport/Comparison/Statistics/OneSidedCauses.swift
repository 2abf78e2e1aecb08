import StallwatchLibc

/// Tests causes that one side alone has. If a cause is equally frequent on both sides, each of its n events falls on
/// that side with the probability `share`, its part of the watched time, and all n do with shareⁿ: exact for any count
/// and any exposure (Przyborowski and Wilenski, "Homogeneity of results in testing samples from Poisson series",
/// Biometrika 31, 1940).
///
/// Where many causes are rare, chance puts some of them on one side. So the probability is that of a finding among all
/// causes, also those that both sides have: a cause of few events adds shareⁿ to it, and one of many next to nothing
/// (Tarone, "A modified Bonferroni method for discrete data", Biometrics 46, 1990).
enum OneSidedCauses {
  /// Fewer events than this are no finding, whatever the exposures: of three or four nobody can see whether they are
  /// one burst.
  static let fewestEvents = 5.0

  /// How surely the causes of one side are its alone.
  struct Test {
    /// For each cause, the least probability that it can have.
    private let least: [Double]
    private let events: [Double]

    /// A test of causes that have this many events on both sides together, each with the side's part of the exposure.
    init(_ causes: [(events: Double, share: Double)]) {
      least = causes.map { pow($0.share, max($0.events, 0)) }
      events = causes.map(\.events)
    }

    /// The probability that chance puts any cause on this side alone that is as clear as this one.
    func chance(of cause: Int) -> Double {
      guard events[cause] >= fewestEvents - 1e-9 else { return 1 }
      return min(least.reduce(0) { $1 <= least[cause] * (1 + 1e-9) ? $0 + $1 : $0 }, 1)
    }
  }

  /// The fewest events on one side alone that make a finding, if no other cause is as rare; nil where none do.
  static func fewest(share: Double, chance: Double) -> Int? {
    guard share > 0, share < 1, chance > 0 else { return nil }
    let count = (log(chance) / log(share) - 1e-9).rounded(.up)
    return count < 1e9 ? Int(max(count, fewestEvents)) : nil
  }
}
