import StallwatchCore
import StallwatchLibc

/// A question to both sides, with what each session says to it.
struct ComparedQuestion {
  /// The question, and in the end its answer.
  var change: Comparison.Change
  /// The figure as it is shown.
  var shown: Evidence
  /// What must differ by itself: a rate by time and by iterations, a duration beside the others of its session.
  var tested: [Evidence]
  /// A level beside the others of its session, in full; nil for rates, and where nothing else is known.
  var relative: Evidence?
  /// What may be asked beyond that: whether the difference is more than a machine's own.
  var margin = 0.0
  var isWorseWhenMore = true
  /// The least change of a duration that matters, in nanoseconds.
  var leastDuration: Nanoseconds = 0
  /// Whether each session by itself tells how well the figure is known.
  var hasInterval = true

  /// A question about a rate: `counts` in each of the exposures, session by session.
  static func rate(
    _ change: Comparison.Change, counts: [Double], exposures: [[Double]], dispersions: [Double]
  ) -> ComparedQuestion {
    let evidence = exposures.map { Evidence(counts: counts, exposures: $0, dispersions: dispersions) }
    return ComparedQuestion(change: change, shown: evidence[0], tested: evidence)
  }

  /// A question about a level. `speed` is what each session's durations have in common; where that is unknown, the
  /// level must differ by more than `margin`.
  static func level(
    _ change: Comparison.Change, _ levels: [Level?], speed: CommonSpeed.Estimate?, margin: Double
  ) -> ComparedQuestion {
    let shown = Evidence(levels: levels)
    guard let speed else { return ComparedQuestion(change: change, shown: shown, tested: [shown], margin: margin) }
    // What is tested has as much taken from it as is known: more would add noise.
    let parts = [speed.reliability, 1].map { part in
      Evidence(levels: zip(levels, speed.logarithms).map { level, common in level?.less(part * common) })
    }
    return ComparedQuestion(change: change, shown: shown, tested: [parts[0]], relative: parts[1])
  }

  /// Whether the figure differs from session to session by so little that no division of them could matter.
  func isFlat(_ levels: [Level?]) -> Bool {
    let values = levels.compactMap { $0.map { exp($0.logarithm) } }
    guard let least = values.min(), let most = values.max() else { return true }
    return most - least < Double(leastDuration)
  }

  /// What the test by session is asked.
  func tests(base: Int) -> [PermutationTest.Question] {
    guard margin > 0 else { return [PermutationTest.Question(evidence: tested)] }
    return [1, -1].map { direction in
      PermutationTest.Question(
        evidence: tested.map { $0.shifted(by: -direction * margin, from: base) }, direction: direction)
    }
  }
}
