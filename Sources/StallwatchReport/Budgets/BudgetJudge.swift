import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Judges a recording by a budget.
package struct BudgetJudge {
  private let budget: Budget
  private let today: String
  private let search: SymbolSearch
  private let catalog: Catalog

  /// A judge that takes `today`, such as `2027-01-31`, to decide which allowed signatures have expired. The figures are
  /// read as `catalog` declares.
  package init(
    _ budget: Budget, today: String, search: SymbolSearch = SymbolSearch(), catalog: Catalog = .standard
  ) {
    self.budget = budget
    self.today = today
    self.search = search
    self.catalog = catalog
  }

  /// Judges `contents`, the store called `store`, and compares it with `base` where the budget names a base store.
  /// Throws what either store throws.
  package func judge<Contents: StoreContents>(
    _ contents: Contents, store: String, base: (name: String, contents: Contents)? = nil
  ) throws -> BudgetReport {
    let stacks = StackReader(contents, search: search)
    var configuration = ReportConfiguration()
    configuration.catalog = catalog
    let report = try ReportBuilder(configuration: configuration, search: search).build(from: contents, stacks: stacks)
    var allowed = AllowedStalls(budget.allowed, today: today)
    if !budget.allowed.isEmpty {
      try contents.forEachSampledStall { stall, samples in
        guard let signature = try stacks.analysis(of: samples, session: stall.session)?.signature else { return }
        allowed.add(stall, [signature] + [report.stalls.merged[signature]].compactMap(\.self))
      }
    }
    var longest = LongestStalls()
    try contents.forEachStall { if !allowed.contains($0.id) { longest.add($0) } }
    let values = BudgetValues(report: report, allowed: allowed, longest: longest)
    var results = budget.limits.map { Self.result($0, values) }
    results += budget.allowed.indices.filter(allowed.isExpired).map { place in
      let entry = budget.allowed[place]
      return BudgetReport.Result(
        key: "allow.\(entry.signature)", unit: .count, limit: 0, value: Double(allowed.stalls[place]),
        verdict: .expired, stall: allowed.longest[place]?.id,
        detail: "allowed until \(entry.until); ask \(entry.owner)")
    }
    var caveats = Self.caveats(report) + [report.selection?.text].compactMap(\.self)
    if let base, let known = budget.base {
      let comparison = try compare(contents, store, base, known)
      results += regressions(comparison)
      caveats += Self.caveats(comparison, base: base.name)
    }
    for place in results.indices where results[place].verdict != .held {
      results[place].culprit = try Self.culprit(of: results[place].stall, in: contents, stacks: stacks)
    }
    return BudgetReport(
      store: store, results: results,
      allowed: budget.allowed.indices.filter { !allowed.isExpired($0) }.map {
        (budget.allowed[$0], allowed.stalls[$0])
      },
      caveat: caveats.isEmpty ? nil : caveats.joined(separator: " "))
  }

  /// What held the loop in the stall in this row; nil where that is unknown.
  private static func culprit<Contents: StoreContents>(
    of stall: Int64?, in contents: Contents, stacks: StackReader<Contents>
  ) throws -> BudgetReport.Culprit? {
    guard let stall = try stall.flatMap({ try contents.stall(id: $0) }) else { return nil }
    let analysis = try stacks.analysis(of: contents.samples(stall: stall.id), session: stall.session)
    guard let blame = analysis?.blame else { return nil }
    return BudgetReport.Culprit(sentence: CauseSentence(blame).description, location: blame.own?.location)
  }

  private static func result(_ limit: BudgetLimit, _ values: BudgetValues) -> BudgetReport.Result {
    let found = values.value(of: limit)
    var result = BudgetReport.Result(
      key: limit.key, unit: limit.unit, limit: limit.bound, value: found?.value, verdict: .held)
    guard let found, let value = found.value else {
      result.verdict = .unseen
      result.detail = found == nil ? values.whyUnseen(limit.subject) : "no value: nothing of that kind happened"
      return result
    }
    if value > limit.bound {
      result.verdict = .exceeded
      result.stall = found.stall
    }
    return result
  }

  private func compare<Contents: StoreContents>(
    _ contents: Contents, _ store: String, _ base: (name: String, contents: Contents), _ known: BaseStore
  ) throws -> Comparison {
    var configuration = ComparisonConfiguration()
    configuration.catalog = catalog
    configuration.confidence = known.confidence ?? configuration.confidence
    return try Comparer(configuration: configuration, search: search).compare(
      base: [base], new: [(store, contents)])
  }

  private func regressions(_ comparison: Comparison) -> [BudgetReport.Result] {
    guard comparison.base.loopSeconds > 0, comparison.new.loopSeconds > 0 else {
      let side = comparison.new.loopSeconds > 0 ? "the base store" : "this store"
      return [
        BudgetReport.Result(
          key: "base.store", unit: .count, limit: 0, value: nil, verdict: .unseen,
          detail: "nothing was observed in \(side)")
      ]
    }
    let worse = comparison.findings.filter { change in
      let isAllowed = budget.allowed.contains {
        $0.until >= today && ([change.signature, change.subject] + change.absorbed).contains($0.signature)
      }
      return change.verdict.isRegression && !isAllowed
    }
    guard !worse.isEmpty else {
      return [BudgetReport.Result(key: "base.store", unit: .count, limit: 0, value: 0, verdict: .held)]
    }
    return worse.map { change in
      return BudgetReport.Result(
        key: "base.store", unit: change.question.unit, limit: change.base, value: change.new, verdict: .worse,
        stall: change.worst?.stall,
        detail: "\(change.verdict.rawValue): \(change.measure) of \(change.subject)")
    }
  }

  /// What a comparison with a base store could not show.
  private static func caveats(_ comparison: Comparison, base: String) -> [String] {
    if comparison.changes.isEmpty {
      return ["Nothing could be compared with \(base): there is too little data; record longer."]
    }
    guard !comparison.canShow else { return [] }
    return [
      "Beside \(base), only new causes can be findings: record \(Figure.count(comparison.neededSessions)) sessions of "
        + "each to show what is worse."
    ]
  }

  private static func caveats(_ report: Report) -> [String] {
    (report.sessions.contains { $0.ended == .running } ? ["A session is still being recorded."] : [])
      + (report.verdict.rank == .nothingObserved ? [report.verdict.text] : [])
  }
}
