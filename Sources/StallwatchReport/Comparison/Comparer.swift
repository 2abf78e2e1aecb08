import StallwatchCore
import StallwatchLibc
import StallwatchStore
import StallwatchSymbols

/// Compares recordings: which causes of stalls are new, gone, worse or better, and which percentiles of modes and
/// timers moved.
///
/// The unit is the session: stalls of one run have the run in common, and only other runs show how much that is. With
/// enough sessions on each side, a change counts if hardly any other way of dividing the sessions in two shows as much
/// (``PermutationTest``), and if it is one beside everything else of its sessions (``CommonSpeed``). With fewer, the
/// sides are compared as these recordings alone, and only causes that one side has can be findings
/// (``OneSidedCauses``).
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

  /// Compares the `new` stores with the `base` stores, each side with all its sessions. Throws what the stores throw.
  package func compare<Contents: StoreContents>(
    base: [(name: String, contents: Contents)], new: [(name: String, contents: Contents)]
  ) throws -> Comparison {
    var signatures = SignatureFolding()
    let foldings = try [base, new].map { stores in
      var folding = SideFolding(configuration: configuration, search: search)
      for store in stores { try folding.add(store.contents, name: store.name, signatures: &signatures) }
      return folding
    }
    let folded = signatures.folded()
    let sides = foldings.map { $0.folded(merged: folded.merged) }
    let sentences = CauseSentences(folded.reports)
    let named = folded.reports.map { ($0.signature.key, sentences.sentence($0)) }
    var comparison = judge(
      base: sides[0], new: sides[1], sentences: Dictionary(named, uniquingKeysWith: { first, _ in first }))
    for (part, whole) in folded.merged.sorted(by: { $0.key.key < $1.key.key }) {
      for place in comparison.changes.indices where comparison.changes[place].signature == whole.key {
        comparison.changes[place].absorbed.append(part.key)
      }
    }
    return comparison
  }

  /// Compares two sides that are folded. `sentences` say what causes are, by the keys of their signatures.
  package func judge(base: ComparedSide, new: ComparedSide, sentences: [String: String] = [:]) -> Comparison {
    let sessions = base.sessions + new.sessions
    let fewest = ComparisonConfiguration.fewestSessions
    let isBySession = min(base.sessions.count, new.sessions.count) >= fewest
    let figures = FigureQuestions(base: base.sessions.count, sessions: sessions)
    let floors = SeenEverywhere.floors(sessions, figures, configuration)
    let causes = CauseQuestions(base: base, new: new, floors: floors, isBySession: isBySession)
    let (asked, common) = self.questions(causes, figures, sentences)
    var questions = asked + [Self.hangs(sessions, base: base.sessions.count), common].compactMap(\.self)
    for place in questions.indices { describe(&questions[place], base.sessions.count, isBySession) }
    var comparison = Comparison(
      confidence: configuration.confidence, leastChange: configuration.leastChange, isBySession: isBySession,
      base: summary(base), new: summary(new), changes: [])
    if isBySession { comparison.leastChance = test(&questions, base.sessions.count, new.sessions.count) }
    if common != nil { comparison.speed = questions.removeLast().change }
    comparison.changes = questions.map(\.change)
    judgeOneSided(&comparison.changes, causes)
    if let common = comparison.speed, common.verdict != .notShown { comparison.changes.append(common) }
    comparison.changes = comparison.changes.enumerated().sorted { Self.order($0) < Self.order($1) }.map(\.element)
    let threshold = sessions.map(\.threshold).max() ?? 0
    let floor = floors.max() ?? 0
    comparison.floor = Double(floor) > Double(threshold) * 1.01 ? floor : nil
    return comparison
  }

  /// All questions, and the one about what all durations have in common.
  private func questions(
    _ causes: CauseQuestions, _ figures: FigureQuestions, _ sentences: [String: String]
  ) -> ([ComparedQuestion], ComparedQuestion?) {
    var speed = CommonSpeed(sessions: causes.sessions.count)
    // The causes that held loops longest: others add nothing to what these have in common.
    let held = causes.keys.map { (key: $0, time: causes.held($0)) }
    let keys = held.sorted { ($1.time, $0.key) < ($0.time, $1.key) }.map(\.key)
    let levels = keys.map(causes.levels)
    let places = levels.enumerated().map { $0 < CommonSpeed.mostCauses ? speed.add($1) : nil }
    let modes = figures.modes.map { $0.subject }.map { subject in
      var subject = subject
      subject.own = speed.add(spansOf: subject)
      return subject
    }
    let margin = log(1 + configuration.machineAllowance)
    var questions: [ComparedQuestion] = []
    let common = speed.estimate()
    for (place, key) in keys.enumerated() {
      guard let rate = causes.change(key, .rate, sentences: sentences) else { continue }
      questions.append(causes.rate(rate, of: key))
      guard !rate.isOneSided, let duration = causes.change(key, .duration, sentences: sentences) else { continue }
      let others = places[place].map { speed.estimate(without: [$0]) } ?? common
      var question = ComparedQuestion.level(duration, levels[place], speed: others, margin: margin)
      question.leastDuration = configuration.leastDuration
      questions.append(question)
    }
    for subject in modes {
      let others = subject.own.isEmpty ? common : speed.estimate(without: subject.own)
      questions += figures.questions(
        configuration.catalog.mode, of: subject, speed: others, configuration: configuration, margin: margin)
    }
    for subject in figures.timers {
      questions += figures.questions(
        configuration.catalog.timer, of: subject, speed: common, configuration: configuration, margin: margin)
    }
    return (questions, common.flatMap { speed.subjects > 1 ? Self.question(speed: $0, margin: margin) : nil })
  }

  /// How often sessions hang, where they say so.
  private static func hangs(_ sessions: [ComparedSession], base: Int) -> ComparedQuestion? {
    let counts = sessions.compactMap(\.hangs)
    guard !counts.isEmpty, counts.count == sessions.count, counts.contains(where: { $0 > 0 }) else { return nil }
    let change = Comparison.Change(
      subject: "all causes together", question: .hangs,
      counts: (counts.prefix(base).saturatingSum(), counts.dropFirst(base).saturatingSum()))
    return .rate(
      change, counts: counts.map { Double($0) }, exposures: [sessions.map { $0.seconds / 3_600 }],
      dispersions: sessions.map { _ in 1 })
  }

  private static func question(speed: CommonSpeed.Estimate, margin: Double) -> ComparedQuestion {
    let change = Comparison.Change(subject: "everything together", question: .speed, counts: (0, 0))
    let levels = speed.logarithms.map { Level(logarithm: $0, values: 100, variance: speed.noise) }
    return .level(change, levels, speed: nil, margin: margin)
  }

  /// Fills in what both sides have, and by how much it differs.
  private func describe(_ question: inout ComparedQuestion, _ base: Int, _ isBySession: Bool) {
    let figures = question.shown.figures(base: base)
    if question.change.question != .speed { (question.change.base, question.change.new) = figures }
    guard let before = figures.base, let now = figures.new, before > 0, now > 0 else { return }
    question.change.ratio = Comparison.Ratio(value: now / before)
    question.change.relative = question.relative?.effect(base: base).map { exp($0.difference) }
    guard question.hasInterval || isBySession,
      let interval = question.shown.interval(base: base, withinAlone: !isBySession)
    else { return }
    question.change.ratio?.low = interval.low
    question.change.ratio?.high = interval.high
  }

  /// Tests all questions by session. Returns the least chance that the sessions can show.
  private func test(_ questions: inout [ComparedQuestion], _ base: Int, _ new: Int) -> Double {
    let tests = questions.map { $0.change.isOneSided || $0.tested.isEmpty ? [] : $0.tests(base: base) }
    let share = ComparisonConfiguration.shares.changes
    let limit = (1 - configuration.confidence) * share
    let answer = PermutationTest(base: base, new: new).ask(tests.flatMap(\.self), chance: limit)
    var next = 0
    for place in questions.indices {
      let chances = tests[place].indices.map { answer.chances[next + $0] }
      next += tests[place].count
      guard let chance = chances.min() else { continue }
      questions[place].change.chance = min(chance / share, 1)
      let effects = questions[place].tested.compactMap { $0.effect(base: base) }
      if let needed = answer.needed, let error = effects.map(\.error).max() {
        let visible = exp((needed + Normal.likely) * error + questions[place].margin)
        questions[place].change.visible = max(visible, 1 + configuration.leastChange)
      }
      guard chance <= limit + 1e-9, let first = effects.first, isLarge(questions[place], effects, base) else {
        continue
      }
      let isMore = first.difference > 0
      questions[place].change.verdict = isMore == questions[place].isWorseWhenMore ? .worse : .better
    }
    return min(answer.leastChance / share, 1)
  }

  /// Whether a difference is large enough to matter: as it is shown, and beside everything else.
  private func isLarge(_ question: ComparedQuestion, _ effects: [Evidence.Effect], _ base: Int) -> Bool {
    guard let shown = question.shown.effect(base: base) else { return false }
    let relative = question.relative?.effect(base: base)
    let differences = [shown.difference] + effects.map(\.difference) + [relative?.difference].compactMap(\.self)
    let isOneWay = differences.allSatisfy { $0 > 0 } || differences.allSatisfy { $0 < 0 }
    let least = log(1 + configuration.leastChange)
    guard isOneWay, differences.allSatisfy({ $0.magnitude >= least }) else { return false }
    guard question.leastDuration > 0, let before = question.change.base, let now = question.change.new else {
      return true
    }
    return (now - before).magnitude >= Double(question.leastDuration)
  }

  /// Judges the causes that one side alone has.
  private func judgeOneSided(_ changes: inout [Comparison.Change], _ causes: CauseQuestions) {
    let keys = causes.keys
    let share = ComparisonConfiguration.shares.oneSided
    let limit = (1 - configuration.confidence) * share
    let tests = [0, 1].map { causes.oneSided(keys, side: $0) }
    let numbers = Dictionary(keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    for place in changes.indices where changes[place].isOneSided {
      guard let number = changes[place].signature.flatMap({ numbers[$0] }) else { continue }
      let side = changes[place].counts.base == 0 ? 1 : 0
      let chance = max(tests[side].chance(of: number), causes.chance(keys[number], side: side))
      changes[place].hidden = causes.hidden(keys[number], side: side)
      changes[place].chance = min(chance / share, 1)
      changes[place].needed = OneSidedCauses.fewest(share: causes.share(of: side), chance: limit)
      if chance <= limit + 1e-9 { changes[place].verdict = side == 1 ? .new : .gone }
    }
  }

  private func summary(_ side: ComparedSide) -> Comparison.Side {
    Comparison.Side(
      stores: side.stores, sessions: side.sessions.count, repeated: side.repeated, loopSeconds: side.seconds,
      iterations: side.iterations, stalls: side.stalls, labels: side.labels)
  }

  /// Sorts regressions first, then improvements, then what is not shown; the surest first in each, then what held loops
  /// longest.
  private static func order(_ change: (offset: Int, element: Comparison.Change)) -> (Int, Double, Double, Int) {
    let rank =
      switch change.element.verdict {
      case .new, .worse: 0
      case .gone, .better: 1
      case .notShown: 2
      }
    let held = change.element.held.map { Double(max($0.base, $0.new)) } ?? 0
    return (rank, rank == 2 ? 1 : change.element.chance ?? 1, -held, change.offset)
  }
}
