import StallwatchCore
import StallwatchStore

/// What a comparison asks about modes and timers: every measure that is declared as compared.
struct FigureQuestions {
  /// Figures of one subject, session by session.
  struct Subject {
    /// What texts call it.
    var name: String
    /// Its figures; nil for a session without it.
    var tallies: [ComparedSession.Tallies?]
    /// How many successive values weigh as one; nil where that is unknown.
    var clumps: [Double?]
    /// Its place among what tells the machine's speed; empty for none.
    var own: Set<Int> = []
  }

  /// The number of sessions of the base. They come first.
  let base: Int
  let sessions: [ComparedSession]

  /// The modes that both sides have.
  var modes: [(key: ComparedSession.ModeKey, subject: Subject)] {
    common(\.modes).sorted { ($0.loop, $0.mode ?? "") < ($1.loop, $1.mode ?? "") }.map { key in
      let mode = key.mode.map { " in \(DisplayText.name($0))" } ?? ""
      return (
        key,
        Subject(
          name: DisplayText.name(key.loop) + mode, tallies: sessions.map { $0.modes[key] },
          clumps: sessions.map { $0.clumps[key] })
      )
    }
  }

  /// The timers that both sides have.
  var timers: [Subject] {
    common(\.timers).sorted { ($0.timer, $0.loop) < ($1.timer, $1.loop) }.map { key in
      Subject(
        name: "\(DisplayText.name(key.timer)) on \(DisplayText.name(key.loop))",
        tallies: sessions.map { $0.timers[key] },
        // A timer's callouts are as much alike as the spans of its loop.
        clumps: sessions.map { session in
          session.clumps.filter { $0.key.loop == key.loop }.values.max()
        })
    }
  }

  private func common<Key: Hashable>(_ tallies: KeyPath<ComparedSession, [Key: ComparedSession.Tallies]>) -> Set<Key> {
    let sides = [sessions.prefix(base), sessions.dropFirst(base)].map { side in
      side.reduce(into: Set<Key>()) { $0.formUnion($1[keyPath: tallies].keys) }
    }
    return sides[0].intersection(sides[1])
  }

  /// A quantile of a measure, session by session.
  static func levels(_ key: String, _ quantile: Quantile, of subject: Subject) -> [Level?] {
    zip(subject.tallies, subject.clumps).map { tallies, clump in
      guard case .distribution(let metric)? = tallies?[key] else { return nil }
      return Level(quantile, of: metric, clump: clump ?? 1)
    }
  }

  /// What is asked about a subject. `speed` tells what each session's durations have in common.
  func questions<Figures, Stored>(
    _ measures: [Measure<Figures, Stored>], of subject: Subject, speed: CommonSpeed.Estimate?,
    configuration: ComparisonConfiguration, margin: Double
  ) -> [ComparedQuestion] {
    measures.flatMap { measure -> [ComparedQuestion] in
      guard let asked = measure.question else { return [] }
      let tallies = subject.tallies.map { $0?[measure.key] }
      var change = Comparison.Change(subject: subject.name, question: asked, counts: counts(tallies))
      guard change.counts.base > 0, change.counts.new > 0 else { return [] }
      if measure.isDistribution {
        return Quantile.compared.map { quantile in
          let levels = Self.levels(measure.key, quantile, of: subject)
          change.quantile = quantile
          var question = ComparedQuestion.level(change, levels, speed: speed, margin: margin)
          question.isWorseWhenMore = measure.isWorseWhenMore
          question.leastDuration = configuration.leastDuration
          question.hasInterval = !zip(levels, subject.clumps).contains { $0 != nil && $1 == nil }
          if question.isFlat(levels) { question.tested = [] }
          return question
        }
      }
      let parts = tallies.map { tally -> (part: Double, whole: Double) in
        if case .share(let part, let whole)? = tally { (Double(part), Double(whole)) } else { (0, 0) }
      }
      var question = ComparedQuestion.rate(
        change, counts: parts.map(\.part), exposures: [parts.map(\.whole)], dispersions: sessions.map(\.dropClump))
      question.isWorseWhenMore = measure.isWorseWhenMore
      return [question]
    }
  }

  /// The number of values on each side.
  private func counts(_ tallies: [Tally?]) -> (base: UInt64, new: UInt64) {
    let counts = tallies.map { tally -> UInt64 in
      switch tally {
      case .distribution(let metric)?: metric.count
      case .share(_, let whole)?: whole
      case nil: 0
      }
    }
    return (counts.prefix(base).saturatingSum(), counts.dropFirst(base).saturatingSum())
  }
}
