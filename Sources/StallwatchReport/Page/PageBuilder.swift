import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Folds a store's contents into a page.
package struct PageBuilder {
  private var configuration: PageConfiguration
  private var search: SymbolSearch

  /// A builder that takes function names from `search`.
  package init(configuration: PageConfiguration = PageConfiguration(), search: SymbolSearch = SymbolSearch()) {
    self.configuration = configuration
    self.search = search
  }

  /// Builds the page on `contents`, the store called `store`; throws what `contents` throws.
  package func build<Contents: StoreContents>(from contents: Contents, store: String) throws -> Page {
    let stacks = StackReader(contents, search: search)
    let report = try ReportBuilder(configuration: configuration.report, search: search).build(
      from: contents, stacks: stacks)
    var page = Page(report: report, store: store)
    try addTimelines(to: &page, from: contents)
    var causes = CauseFolding(Array(report.stalls.signatures.prefix(configuration.causes)), stacks: stacks)
    if !report.stalls.signatures.isEmpty { try contents.forEachSampledStall { try causes.add($0, $1) } }
    page.causes = try causes.folded(timers: report.timers, mostFunctions: configuration.flames)
    page.distributions = try LoopReport.worstFirst(report.loops).prefix(configuration.distributions)
      .compactMap {
        LoopDistribution($0, modes: try contents.modes(loop: $0.id), limit: configuration.distributions)
      }
    return page
  }

  private func addTimelines(to page: inout Page, from contents: some StoreContents) throws {
    let loops = Dictionary(grouping: LoopReport.worstFirst(page.report.loops), by: \.session)
    let held = loops.mapValues { $0.map(\.stalls.total).saturatingSum() }
    let worstFirst = page.report.sessions.filter { loops[$0.id] != nil }.sorted {
      (held[$0.id] ?? 0, $1.id) > (held[$1.id] ?? 0, $0.id)
    }
    page.leftOutSessions = max(worstFirst.count - configuration.timelines, 0)
    var foldings: [Int64: TimelineFolding] = [:]
    let chosen = worstFirst.prefix(configuration.timelines)
    let lanes = chosen.map { min(loops[$0.id]?.count ?? 0, configuration.lanes) }.reduce(0, +)
    let slices = min(configuration.slices, configuration.allSlices / max(lanes, 1))
    for session in chosen {
      let lanes = (loops[session.id] ?? []).prefix(configuration.lanes).map(\.id)
      var folding = TimelineFolding(
        session, window: try contents.windowLength(session: session.id) ?? 0, mostSlices: max(slices, 1),
        loops: lanes)
      for loop in lanes { try contents.forEachWindow(loop: loop) { folding.add($0, loop: loop) } }
      foldings[session.id] = folding
    }
    if !foldings.isEmpty { try contents.forEachStall { foldings[$0.session]?.add($0) } }
    for session in chosen {
      let all = loops[session.id] ?? []
      let lanes = Array(all.prefix(configuration.lanes))
      let modes = try lanes.flatMap { try contents.modeNames(loop: $0.id) }
      guard let folding = foldings[session.id] else { continue }
      page.timelines.append(
        folding.folded(
          loops: lanes, modes: Dictionary(modes, uniquingKeysWith: { first, _ in first }),
          leftOutLoops: all.count - lanes.count,
          intervals: try intervals(of: session, in: contents)))
    }
  }

  private func intervals(of session: StoredSession, in contents: some StoreContents) throws -> [Timeline.Interval] {
    let rows = Dictionary(
      try contents.loops(session: session.id).map { ($0.record.id, $0.id) }, uniquingKeysWith: { first, _ in first })
    let start = session.record.startedNs
    return try contents.health(session: session.id).intervals
      .sorted { $0.duration > $1.duration }.prefix(configuration.intervals)
      .map {
        Timeline.Interval(
          kind: $0.kind, reason: $0.reason, loop: $0.loop.flatMap { rows[$0] }, start: $0.startedNs.since(start),
          end: $0.endedNs.since(start))
      }
      .sorted { $0.start < $1.start }
  }
}
