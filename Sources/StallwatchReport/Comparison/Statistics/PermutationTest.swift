import StallwatchCore

/// Tests by session: if nothing has changed, it is chance which sessions are on which side, and any other way of
/// dividing them could have shown as much (Pitman, "Significance tests which may be applied to samples from any
/// populations", Journal of the Royal Statistical Society, Supplement 4, 1937).
///
/// Sessions are the unit, so whatever stalls of one session have in common, they have in common in every division too.
/// All questions are asked of each division, and a finding must be stronger than the strongest answer of nearly all of
/// them: so the confidence holds for all questions together, and correlated ones cost nothing (Westfall and Young,
/// "Resampling-based multiple testing", 1993).
struct PermutationTest {
  /// A question: its effect in standard errors, by several measures that must agree.
  struct Question {
    /// Of several, the weakest counts; where they contradict each other, none.
    var evidence: [Evidence]
    /// Which direction counts: 1, −1, or 0 for both.
    var direction = 0.0
  }

  /// What the test says.
  struct Answer {
    /// For each question, the probability that chance alone makes any answer as strong.
    var chances: [Double]
    /// How strong an answer must be to be a finding, in standard errors; nil where the sessions are too few for any.
    var needed: Double?
    /// The least probability that so many sessions can show.
    var leastChance: Double
  }

  /// The number of the base's sessions. They come first.
  let base: Int
  /// The number of the new side's sessions.
  let new: Int
  /// Whether the base is the smaller side. A division is given by the sessions of that side: they are fewer to sum.
  private var isBaseSmaller: Bool { base < new }
  private var smaller: Int { min(base, new) }
  private var all: Int { base + new }
  /// The sessions of the smaller side.
  private var observed: Range<Int> { isBaseSmaller ? 0..<base : base..<all }

  /// The most divisions that are tried. Of more, as many are drawn.
  static let mostDivisions = 5_000
  /// The sums that a test may cost: about two seconds.
  private static let mostSums = 400_000_000

  /// Asks all questions; a finding has a probability of at most `chance`.
  func ask(_ questions: [Question], chance: Double) -> Answer {
    let totals = questions.map { $0.evidence.map { $0.terms.reduce(.zero, +) } }
    let answers = strengths(of: Array(observed), questions, totals)
    var strongest: [Double] = []
    let cost = max(questions.reduce(0) { $0 + $1.evidence.count } * smaller, 1)
    let most = max(min(Self.mostDivisions, Self.mostSums / cost), 1_000)
    forEachDivision(most: most) { strongest.append(strengths(of: $0, questions, totals).max() ?? 0) }
    strongest.sort(by: >)
    let count = Double(strongest.count)
    let chances = answers.map { strength -> Double in
      guard strength > 0 else { return 1 }
      // Divisions alike but for rounding are as strong.
      let stronger = strongest.partitioningIndex { $0 < strength * (1 - 1e-9) }
      return max(Double(stronger), 1) / count
    }
    let allowed = Int(chance * count + 1e-9)
    // A division and its mirror image are as strong, where both sides have as many sessions.
    let least = isSymmetric(questions) ? 2.0 : 1.0
    let needed = Double(allowed) >= least && allowed < strongest.count ? strongest[allowed] : nil
    return Answer(chances: chances, needed: needed, leastChance: least / count)
  }

  private func isSymmetric(_ questions: [Question]) -> Bool {
    base == new && questions.contains { $0.direction == 0 }
  }

  /// How strong the answers are if these are the sessions of the smaller side.
  private func strengths(of sessions: [Int], _ questions: [Question], _ totals: [[SIMD8<Double>]]) -> [Double] {
    zip(questions, totals).map { question, totals in
      var weakest: Double?
      for (evidence, total) in zip(question.evidence, totals) {
        var sum = SIMD8<Double>.zero
        for session in sessions { sum += evidence.terms[session] }
        let (first, second) = isBaseSmaller ? (sum, total - sum) : (total - sum, sum)
        let statistic = evidence.effect(first: first, second: second)?.statistic ?? 0
        if let known = weakest, known * statistic <= 0 { return 0 }
        weakest = (weakest.map { abs($0) < abs(statistic) } ?? false) ? weakest : statistic
      }
      let statistic = weakest ?? 0
      return question.direction == 0 ? abs(statistic) : max(statistic * question.direction, 0)
    }
  }

  /// Calls `body` with the smaller side's sessions of every division, the true one among them, or of `most` drawn ones.
  private func forEachDivision(most: Int, _ body: ([Int]) -> Void) {
    guard divisions(upTo: most) > most else {
      var chosen = Array(0..<smaller)
      while true {
        body(chosen)
        guard let place = chosen.indices.last(where: { chosen[$0] < all - smaller + $0 }) else { return }
        chosen[place] += 1
        for next in chosen.indices where next > place { chosen[next] = chosen[next - 1] + 1 }
      }
    }
    body(Array(observed))
    var random = SplitMix(state: 0x5374_6c77)
    var sessions = Array(0..<all)
    for _ in 1..<most {
      for place in 0..<smaller { sessions.swapAt(place, Int.random(in: place..<all, using: &random)) }
      body(Array(sessions.prefix(smaller)))
    }
  }

  /// The number of divisions, or any number beyond `limit`.
  private func divisions(upTo limit: Int) -> Int {
    var count = 1
    for step in 1...max(smaller, 1) {
      count = count * (max(base, new) + step) / step
      if count > limit { return count }
    }
    return count
  }
}
