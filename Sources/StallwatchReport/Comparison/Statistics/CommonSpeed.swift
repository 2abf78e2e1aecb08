import StallwatchLibc

/// How fast the machine was in each session, as far as the program tells: what all of its durations have in common.
///
/// A machine that is slower in one run than in another makes everything longer. So a duration is compared with the
/// others of its own session. Each of them says by how much the session lies above the mean of all sessions, and the
/// mean of the middle half of that is what they have in common: as long as fewer than a quarter of them became longer
/// for reasons of their own, it does not follow those.
struct CommonSpeed {
  /// A subject's durations.
  private struct Subject {
    /// Session by session: by how much they exceed their mean (a logarithm), with the weight.
    var deviations: [(deviation: Double, weight: Double)?]
    /// The variance that they have within a session.
    var within: Double
    /// For which share of a subject it counts.
    var share: Double

    /// The weight of what it says, where it differs from the others by this much in sessions of its own.
    func trust(own variance: Double = 0) -> Double { share / (max(within, variance) + CommonSpeed.leastVariance) }
  }

  private var known: [Subject] = []
  private let sessions: Int
  /// The most subjects that are taken, and the most causes among them: a median of more is no surer.
  private static let most = 100
  static let mostCauses = 40
  /// How much a subject differs from session to session for reasons of its own, at least: 2 %.
  private static let leastVariance = 0.02 * 0.02

  /// The common speed of so many sessions, of which nothing is known yet.
  init(sessions: Int) { self.sessions = sessions }

  /// The number of subjects.
  var subjects: Int { known.count }

  /// Adds a subject's levels, session by session, to count for this share of a subject. Returns its number, or nil if
  /// it cannot count: it does not where a quarter of the sessions lack it.
  mutating func add(_ levels: [Level?], share: Double = 1) -> Int? {
    let present = levels.compactMap(\.self).filter { $0.weight > 0 }
    guard present.count * 4 >= sessions * 3, known.count < Self.most else { return nil }
    let weight = present.reduce(0) { $0 + $1.weight }
    let mean = present.reduce(0) { $0 + $1.weight * $1.logarithm } / weight
    known.append(
      Subject(
        deviations: levels.map { level in level.map { ($0.logarithm - mean, $0.weight) } },
        within: present.reduce(0) { $0 + $1.variance } / Double(present.count), share: share))
    return known.count - 1
  }

  /// What is known of the sessions.
  struct Estimate {
    /// By how much longer each session's durations are than the mean, as logarithms.
    var logarithms: [Double]
    /// How much of what they differ by is no chance, 0…1.
    var reliability: Double
    /// The variance that each has by chance.
    var noise: Double
  }

  /// What the sessions have in common without the subjects numbered `own`; nil where a session has nothing else.
  func estimate(without own: Set<Int> = []) -> Estimate? {
    let others = known.indices.filter { !own.contains($0) }.map { known[$0] }
    guard let first = estimate(others, trusts: others.map { $0.trust() }) else { return nil }
    // What differs much from all others, by chance or by a change of its own, tells little of the machine.
    let mean = first.logarithms.reduce(0, +) / Double(max(sessions, 1))
    let trusts = others.map { subject -> Double in
      var (squares, weight) = (0.0, 0.0)
      for (value, common) in zip(subject.deviations, first.logarithms) {
        guard let value else { continue }
        let rest = value.deviation - (common - mean)
        squares += value.weight * rest * rest
        weight += value.weight
      }
      return subject.trust(own: weight > 0 ? squares / weight : 0)
    }
    return estimate(others, trusts: trusts)
  }

  private func estimate(_ subjects: [Subject], trusts: [Double]) -> Estimate? {
    var (logarithms, noise): ([Double], Double) = ([], 0)
    for session in 0..<sessions {
      let values = zip(subjects, trusts).compactMap { subject, trust in
        subject.deviations[session].map { (deviation: $0.deviation, weight: $0.weight * trust) }
      }.filter { $0.weight > 0 }
      guard let middle = Self.middle(values) else { return nil }
      logarithms.append(middle)
      let weight = values.reduce(0) { $0 + $1.weight }
      let squares = values.reduce(0.0) { sum, value in
        let rest = value.weight * (value.deviation - middle)
        return sum + rest * rest
      }
      // A single subject tells nothing of how well it speaks for all.
      if values.count > 1 { noise += squares / (weight * weight) * Double(values.count) / Double(values.count - 1) }
    }
    let mean = logarithms.reduce(0, +) / Double(max(sessions, 1))
    let squares = logarithms.reduce(0.0) { $0 + ($1 - mean) * ($1 - mean) }
    let variance = squares / Double(max(sessions - 1, 1))
    noise /= Double(max(sessions, 1))
    let reliability = variance > 0 ? max(1 - noise / variance, 0) : 0
    return Estimate(logarithms: logarithms, reliability: reliability, noise: noise)
  }

  /// The mean of the middle half, by weight: of few values, the outer ones count in part.
  private static func middle(_ values: [(deviation: Double, weight: Double)]) -> Double? {
    let sorted = values.filter { $0.weight > 0 }.sorted { $0.deviation < $1.deviation }
    let all = sorted.reduce(0) { $0 + $1.weight }
    guard all > 0 else { return nil }
    var (below, sum) = (0.0, 0.0)
    for value in sorted {
      let inside = min(below + value.weight, all * 0.75) - max(below, all * 0.25)
      if inside > 0 { sum += inside * value.deviation }
      below += value.weight
    }
    return sum / (all / 2)
  }
}
