import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Compares recordings: which causes of stalls are new, gone, worse or better, and which percentiles of modes and
/// timers moved.
///
/// Rates count per hour of watched loop time, so a longer recording is not a worse one. A change must also show per
/// iteration, so a busier hour is not a worse one either. A change counts only if it is not chance at the configured
/// confidence, taken over all questions together.
package struct Comparer {
  private let configuration: ComparisonConfiguration
  private let search: SymbolSearch

  /// A comparer that takes function names from `search`.
  package init(
    configuration: ComparisonConfiguration = ComparisonConfiguration(), search: SymbolSearch = SymbolSearch()
  ) {
    self.configuration = configuration
    self.search = search
  }

  /// Compares the `new` stores with the `base` stores, each side pooled. Throws what the stores throw.
  package func compare<Contents: StoreContents>(
    base: [(name: String, contents: Contents)], new: [(name: String, contents: Contents)]
  ) throws -> Comparison {
    let sides = try [base, new].map { stores in
      var folding = SideFolding(configuration: configuration, search: search)
      for store in stores { try folding.add(store.contents, name: store.name) }
      return folding.side
    }
    return judge(base: sides[0], new: sides[1])
  }

  func judge(base: ComparedSide, new: ComparedSide) -> Comparison {
    let questions =
      causes(base, new) + modes(base, new) + timers(base, new)
    let tested = questions.indices.filter { questions[$0].chance != nil }
    let adjusted = MultipleTests.adjusted(tested.map { questions[$0].chance ?? 1 })
    var changes = questions.map { $0.change }
    for (place, chance) in zip(tested, adjusted) {
      changes[place].chance = chance
      let isSure = chance <= 1 - configuration.confidence && questions[place].isLarge
      changes[place].verdict = isSure ? questions[place].verdict : .same
    }
    return Comparison(
      confidence: configuration.confidence, base: summary(base), new: summary(new),
      changes: changes.enumerated().sorted { Self.order($0) < Self.order($1) }.map(\.element))
  }

  /// A question whose chance is not yet adjusted for the number of questions.
  private struct Question {
    var change: Comparison.Change
    /// The verdict if the change is not chance.
    var verdict: Comparison.Verdict
    /// Whether the change is large enough to matter.
    var isLarge: Bool
    /// The probability that chance alone makes such a change; nil where there is too little data.
    var chance: Double?
  }

  private func causes(_ base: ComparedSide, _ new: ComparedSide) -> [Question] {
    Set(base.causes.keys).union(new.causes.keys).sorted().flatMap { key -> [Question] in
      let (one, other) = (base.causes[key], new.causes[key])
      guard let known = other ?? one else { return [] }
      let place = known.worst.place
      var change = Comparison.Change(
        subject: known.signature.title, signature: key, question: .rate,
        base: base.loopSeconds > 0 ? Double(one?.count ?? 0) / base.loopSeconds * 3_600 : nil,
        new: new.loopSeconds > 0 ? Double(other?.count ?? 0) / new.loopSeconds * 3_600 : nil,
        counts: (UInt64(one?.count ?? 0), UInt64(other?.count ?? 0)), verdict: .unsure,
        worst: (place.store, place.stall))
      let rate = rateQuestion(change, base, new, one, other)
      guard let one, let other else { return [rate] }
      change.question = .duration
      (change.base, change.new) = (Self.median(one.durations), Self.median(other.durations))
      let isEnough = min(one.durations.count, other.durations.count) >= RankTest.leastCount
      return [
        rate,
        Question(
          change: change, verdict: direction(change), isLarge: isLarge(change, least: configuration.leastDuration),
          chance: isEnough ? RankTest.chance(one.durations, other.durations) : nil),
      ]
    }
  }

  private func rateQuestion(
    _ change: Comparison.Change, _ base: ComparedSide, _ new: ComparedSide, _ one: ComparedSide.Cause?,
    _ other: ComparedSide.Cause?
  ) -> Question {
    let (first, second) = (one?.count ?? 0, other?.count ?? 0)
    let dispersion = max(
      RateTest.dispersion(of: Array((one?.slices ?? [:]).values), slices: base.sliceCount),
      RateTest.dispersion(of: Array((other?.slices ?? [:]).values), slices: new.sliceCount))
    let chances = [
      (base.loopSeconds, new.loopSeconds), (Double(base.iterations), Double(new.iterations)),
    ].map {
      RateTest.chance(first, in: $0, second, in: $1, dispersion: dispersion)
    }
    let byTime = (Double(second) / max(new.loopSeconds, .ulpOfOne)) / (Double(first) / max(base.loopSeconds, .ulpOfOne))
    let load =
      (Double(new.iterations) / max(new.loopSeconds, .ulpOfOne))
      / (Double(base.iterations) / max(base.loopSeconds, .ulpOfOne))
    // The rate must move the same way per hour and per iteration: a change that the load explains does not count.
    let isBoth = (byTime > 1) == (byTime / load > 1)
    let verdict: Comparison.Verdict = first == 0 ? .new : second == 0 ? .gone : byTime > 1 ? .worse : .better
    let isLarge = isBoth && [byTime, byTime / load].allSatisfy { self.isLarge(ratio: $0) }
    let isEnough = first + second >= configuration.leastStalls && base.loopSeconds > 0 && new.loopSeconds > 0
    return Question(change: change, verdict: verdict, isLarge: isLarge, chance: isEnough ? chances.max() : nil)
  }

  private func modes(_ base: ComparedSide, _ new: ComparedSide) -> [Question] {
    let common = base.modes.keys.filter { new.modes[$0] != nil }
    return common.sorted { ($0.loop, $0.mode ?? "") < ($1.loop, $1.mode ?? "") }.flatMap { key in
      let mode = key.mode.map { " in \(DisplayText.name($0))" } ?? ""
      let subject = DisplayText.name(key.loop) + mode
      return questions(configuration.catalog.mode, base.modes[key], new.modes[key], subject: subject)
    }
  }

  private func timers(_ base: ComparedSide, _ new: ComparedSide) -> [Question] {
    base.timers.keys.filter { new.timers[$0] != nil }.sorted { ($0.timer, $0.loop) < ($1.timer, $1.loop) }.flatMap {
      key in
      let subject = "\(DisplayText.name(key.timer)) on \(DisplayText.name(key.loop))"
      return questions(configuration.catalog.timer, base.timers[key], new.timers[key], subject: subject)
    }
  }

  /// What is asked about a mode or about timers: every compared measure that both sides have.
  private func questions<Subject, Stored>(
    _ measures: [Measure<Subject, Stored>], _ base: ComparedSide.Tallies?, _ new: ComparedSide.Tallies?,
    subject: String
  ) -> [Question] {
    measures.flatMap { measure -> [Question] in
      guard let question = measure.question else { return [] }
      let isWorseWhenMore = measure.isWorseWhenMore
      switch (base?[measure.key], new?[measure.key]) {
      case (.distribution(let one), .distribution(let other)) where one.count > 0 && other.count > 0:
        let (before, after) = (DurationSummary(one), DurationSummary(other))
        return Quantile.compared.map { quantile in
          let change = Comparison.Change(
            subject: subject, question: question, quantile: quantile, base: before[quantile].map { Double($0) },
            new: after[quantile].map { Double($0) }, counts: (one.count, other.count), verdict: .unsure)
          return Question(
            change: change, verdict: direction(change, isWorseWhenMore: isWorseWhenMore),
            isLarge: isLarge(change, least: configuration.leastDuration),
            chance: QuantileTest.chance(quantile.share, one, other))
        }
      case (.share(let part, let whole), .share(let otherPart, let otherWhole)):
        let change = Comparison.Change(
          subject: subject, question: question, base: whole > 0 ? Double(part) / Double(whole) : nil,
          new: otherWhole > 0 ? Double(otherPart) / Double(otherWhole) : nil, counts: (whole, otherWhole),
          verdict: .unsure)
        let (first, second) = (Int(clamping: part), Int(clamping: otherPart))
        let isEnough = first.saturatingAdd(second) >= configuration.leastStalls && min(whole, otherWhole) > 0
        // What makes up a share comes in rows: one stall drops several due times.
        return [
          Question(
            change: change, verdict: direction(change, isWorseWhenMore: isWorseWhenMore),
            isLarge: isLarge(change, least: 0),
            chance: isEnough
              ? RateTest.chance(
                first, in: Double(whole), second, in: Double(otherWhole), dispersion: QuantileTest.clump) : nil)
        ]
      default: return []
      }
    }
  }

  private func direction(_ change: Comparison.Change, isWorseWhenMore: Bool = true) -> Comparison.Verdict {
    ((change.new ?? 0) > (change.base ?? 0)) == isWorseWhenMore ? .worse : .better
  }

  private func isLarge(_ change: Comparison.Change, least: Nanoseconds) -> Bool {
    guard let base = change.base, let new = change.new else { return false }
    return (new - base).magnitude >= Double(least) && isLarge(ratio: new / base)
  }

  private func isLarge(ratio: Double) -> Bool {
    guard ratio > 0, ratio.isFinite else { return true }
    return max(ratio, 1 / ratio) >= 1 + configuration.leastChange
  }

  private func summary(_ side: ComparedSide) -> Comparison.Side {
    Comparison.Side(
      stores: side.stores, sessions: side.sessions, loopSeconds: side.loopSeconds, iterations: side.iterations,
      stalls: side.stalls)
  }

  private static func median(_ values: [Nanoseconds]) -> Double? {
    guard !values.isEmpty else { return nil }
    return Double(values.sorted()[values.count / 2])
  }

  /// Sorts regressions first, then improvements, then undecided and unchanged questions; the surest first in each.
  private static func order(_ change: (offset: Int, element: Comparison.Change)) -> (Int, Double, Int) {
    let rank =
      switch change.element.verdict {
      case .new, .worse: 0
      case .gone, .better: 1
      case .unsure: 2
      case .same: 3
      }
    return (rank, change.element.chance ?? 1, change.offset)
  }
}
