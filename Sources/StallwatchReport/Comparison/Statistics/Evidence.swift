import StallwatchLibc

/// What the sessions of both sides say of one figure, so that any way of dividing the sessions in two tells by how much
/// the parts differ, and how well that is known.
///
/// Each session is a few sums, and a part of the sessions is the sum of theirs: a test divides them thousands of times.
struct Evidence {
  /// What the sums are.
  enum Kind {
    /// Counts in an exposure.
    case rate
    /// Logarithms of a level, each with its weight and with the variance that it has within its session.
    case level
  }

  /// The difference between two parts of the sessions.
  struct Effect {
    /// The natural logarithm of the second part's figure over the first's.
    var difference: Double
    /// Its standard error.
    var error: Double
    /// How many sessions have the figure, in each part.
    var sessions: (first: Double, second: Double)

    /// The difference in standard errors; 0 where sessions are too few to tell one.
    var statistic: Double {
      min(sessions.first, sessions.second) >= Evidence.fewestSessions && error > 0 ? difference / error : 0
    }
  }

  /// The fewest sessions of each part whose spread says something.
  static let fewestSessions = 3.0

  let kind: Kind
  /// The sums of each session: those of the first side, then those of the second.
  fileprivate(set) var terms: [SIMD8<Double>]
  /// Stands for half an event: a rate from no event at all is low, not impossible.
  private let spare: Double

  /// Counts with their exposures, session by session, and how much more each varies within its session than a count of
  /// single events. Sessions without exposure count for nothing.
  init(counts: [Double], exposures: [Double], dispersions: [Double]) {
    kind = .rate
    let (all, time) = (counts.reduce(0, +), exposures.reduce(0, +))
    spare = all > 0 ? time / all / 2 : 0
    terms = zip(zip(counts, exposures), dispersions).map { session, dispersion in
      let (n, e) = session
      return e > 0 ? SIMD8(n, e, n * n, n * e, e * e, 1, n * max(dispersion, 1), 0) : .zero
    }
  }

  /// Logarithms of levels, session by session; nil for a session without.
  init(levels: [Level?]) {
    kind = .level
    spare = 0
    terms = levels.map { level in
      guard let level, level.weight > 0 else { return .zero }
      let (w, x) = (level.weight, level.logarithm)
      return SIMD8(w, w * x, w * w, w * w * x, w * w * x * x, w * w * level.variance, 1, 0)
    }
  }

  /// The difference between the sessions of `second` and all others; nil where a part has nothing. Where the spread
  /// between sessions is smaller than the spread within them makes likely, that is chance, and the latter counts.
  func effect(first: SIMD8<Double>, second: SIMD8<Double>, withinAlone: Bool = false) -> Effect? {
    guard let one = part(first, withinAlone), let other = part(second, withinAlone) else { return nil }
    return Effect(
      difference: other.mean - one.mean, error: (one.variance + other.variance).squareRoot(),
      sessions: (one.sessions, other.sessions))
  }

  /// The mean of a part's sessions as a logarithm, and its variance.
  private func part(_ sum: SIMD8<Double>, _ withinAlone: Bool) -> (mean: Double, variance: Double, sessions: Double)? {
    switch kind {
    case .rate:
      guard sum[1] > 0, spare > 0 else { return nil }
      let (count, rate) = (sum[0] + 0.5, sum[0] / sum[1])
      let squares = max(sum[2] - 2 * rate * sum[3] + rate * rate * sum[4], 0)
      let between = sum[5] > 1 ? squares / (count * count) * sum[5] / (sum[5] - 1) : 0
      let within = (sum[6] + 0.5) / (count * count)
      return (log(count / (sum[1] + spare)), withinAlone ? within : max(between, within), sum[5])
    case .level:
      guard sum[0] > 0 else { return nil }
      let mean = sum[1] / sum[0]
      let squares = max(sum[4] - 2 * mean * sum[3] + mean * mean * sum[2], 0)
      let between = sum[6] > 1 ? squares / (sum[0] * sum[0]) * sum[6] / (sum[6] - 1) : 0
      let within = sum[5] / (sum[0] * sum[0])
      return (mean, withinAlone ? within : max(between, within), sum[6])
    }
  }

  /// The difference between the first `base` sessions and the rest.
  func effect(base: Int, withinAlone: Bool = false) -> Effect? {
    effect(
      first: terms.prefix(base).reduce(.zero, +), second: terms.dropFirst(base).reduce(.zero, +),
      withinAlone: withinAlone)
  }

  /// The factors between which the new side's figure over the base's lies with 95 % confidence, as far as the sessions
  /// tell by their spread, or by what is within them alone. Nil where they do not bound it.
  func interval(base: Int, withinAlone: Bool) -> (low: Double?, high: Double?)? {
    if withinAlone, case .rate = kind { return exactInterval(base: base) }
    guard let effect = effect(base: base, withinAlone: withinAlone), effect.error > 0 else { return nil }
    let degrees = effect.sessions.first + effect.sessions.second - 2
    let margin = effect.error * (withinAlone ? Normal.interval : Normal.interval(degrees: degrees))
    guard margin < 50 else { return nil }
    return (exp(effect.difference - margin), exp(effect.difference + margin))
  }

  /// The same for counts, exact also where there are few. Events in bursts count as fewer.
  private func exactInterval(base: Int) -> (low: Double?, high: Double?)? {
    let sums = [terms.prefix(base), terms.dropFirst(base)].map { $0.reduce(.zero, +) }
    guard sums.allSatisfy({ $0[1] > 0 }) else { return nil }
    // As many single events tell the ratio as well as these, whose counts vary more.
    let all = sums[0][0] + sums[1][0]
    let dispersion = sums.map { $0[0] > 0 ? $0[6] / $0[0] : 1 }
    let share = all > 0 ? sums[1][0] / all : 0
    let events = all / max((1 - share) * dispersion[1] + share * dispersion[0], 1)
    guard events < Double(Binomial.most) else {
      guard let effect = effect(base: base, withinAlone: true) else { return nil }
      let margin = effect.error * Normal.interval
      return (exp(effect.difference - margin), exp(effect.difference + margin))
    }
    // Half an event more or less is neither here nor there: rounded down, the interval is wider.
    let count = Int(events)
    let bounds = Binomial.interval(Int((Double(count) * share).rounded()), of: count)
    let odds = sums[0][1] / sums[1][1]
    return (
      bounds.low > 0 ? bounds.low / (1 - bounds.low) * odds : nil,
      bounds.high < 1 ? bounds.high / (1 - bounds.high) * odds : nil
    )
  }

  /// The figure of the first `base` sessions, and that of the rest; nil where a side has none.
  func figures(base: Int) -> (base: Double?, new: Double?) {
    let sides = [terms.prefix(base), terms.dropFirst(base)].map { side -> Double? in
      let sum = side.reduce(.zero, +)
      switch kind {
      case .rate: return sum[1] > 0 ? sum[0] / sum[1] : nil
      case .level: return sum[0] > 0 ? exp(sum[1] / sum[0]) : nil
      }
    }
    return (sides[0], sides[1])
  }
}

extension Evidence {
  /// The same levels, with this added to the logarithms of all but the first `base` sessions.
  func shifted(by part: Double, from base: Int) -> Evidence {
    var shifted = self
    for place in terms.indices.dropFirst(base) {
      let (old, w, squares) = (terms[place], terms[place][0], terms[place][2])
      shifted.terms[place][1] = old[1] + w * part
      shifted.terms[place][3] = old[3] + squares * part
      shifted.terms[place][4] = old[4] + 2 * part * old[3] + squares * part * part
    }
    return shifted
  }
}

/// A session's figure on a logarithmic scale.
struct Level {
  /// The natural logarithm of the figure.
  var logarithm: Double
  /// How much it counts beside other sessions' figures, 0…1: a figure from ten independent values counts half.
  var weight: Double
  /// The variance that it has because the session is no longer than it is.
  var variance: Double

  /// A level from this many independent values.
  init(logarithm: Double, values: Double, variance: Double) {
    self.logarithm = logarithm
    weight = values / (values + 10)
    self.variance = max(variance, Self.leastVariance)
  }

  /// No figure is known better than to half a percent: histograms are no finer.
  private static let leastVariance = 0.005 * 0.005

  /// The same figure, with this taken from its logarithm.
  func less(_ part: Double) -> Level {
    var level = self
    level.logarithm -= part
    return level
  }
}
