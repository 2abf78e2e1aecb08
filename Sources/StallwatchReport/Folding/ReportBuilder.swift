import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Folds a store's contents into a report. Holds one loop's histograms at a time, so memory grows with the number of
/// loops and modes, not with the length of a recording.
package struct ReportBuilder {
  private var configuration: ReportConfiguration
  private var search: SymbolSearch

  /// A builder that takes function names from `search`.
  package init(configuration: ReportConfiguration = ReportConfiguration(), search: SymbolSearch = SymbolSearch()) {
    self.configuration = configuration
    self.search = search
  }

  /// What gets every sampled stall.
  package typealias EachSampled = (StoredStall, [StackSample], StallAnalysis) throws -> Void

  /// Builds the report on `contents`; throws what `contents` throws.
  package func build(from contents: some StoreContents) throws -> Report {
    try build(from: contents, stacks: StackReader(contents, search: search))
  }

  /// The same, with stacks read by `stacks`, for callers that use them further. `eachSampled` gets every sampled stall,
  /// cancelled ones included, so that nobody need read the samples again.
  package func build<Contents: StoreContents>(
    from contents: Contents, stacks: StackReader<Contents>,
    eachSampled: EachSampled? = nil
  ) throws -> Report {
    let sessions = try contents.sessions()
    var stallsByLoop: [Int64: StallCounts] = [:]
    var counts = StallCounts()
    for sort in try contents.stallTotals() {
      stallsByLoop[sort.loop, default: StallCounts()].add(sort)
      counts.add(sort)
    }
    var stored: [StoredLoop] = []
    var loops: [LoopReport] = []
    var health = HealthFolding()
    let loopFolding = LoopFolding(frameBudget: configuration.frameBudget)
    for session in sessions {
      for loop in try contents.loops(session: session.id) {
        stored.append(loop)
        loops.append(
          loopFolding.fold(
            loop, modes: try contents.modes(loop: loop.id), stalls: stallsByLoop[loop.id] ?? StallCounts(),
            threshold: session.record.threshold))
      }
      health.add(try contents.health(session: session.id), session: session)
    }
    health.add(try contents.removals(), sessions: sessions)
    let directory = StallDirectory(sessions: sessions, loops: stored)
    let stalls = try stallReport(
      contents, counts: counts, directory: directory, stacks: stacks, eachSampled: eachSampled)
    let profiles = try stored.compactMap { try LoopProfile($0, in: contents, stacks: stacks) }
    let folding = TimerFolding(contents: contents, stacks: stacks)
    let timers = try folding.timers(sessions, loops: stored)
    let drift = try folding.drift(sessions, loops: stored)
    var report = Report(
      frameBudget: configuration.frameBudget, catalog: configuration.catalog, sessions: sessions, loops: loops,
      stalls: stalls, profiles: profiles, timers: timers, drift: drift.all, driftByLoop: drift.loops,
      symbolNotes: stacks.notes, health: health.folded())
    let limits = TimelineBuilder.Limits(
      sessions: configuration.timelines, lanes: configuration.lanes, slices: configuration.slices, allSlices: .max,
      intervals: 0, withStalls: false)
    report.selection = contents.selection
    for session in sessions { report.labels[session.id] = try contents.labels(of: session) }
    report.timelines = try TimelineBuilder(limits: limits).build(report, from: contents).timelines
    return report
  }

  /// A report on timers and drift alone, with the loops they belong to. Of the stalls it reads only those that explain
  /// late ticks. Throws what `contents` throws.
  package func timers(from contents: some StoreContents) throws -> Report {
    let sessions = try contents.sessions()
    let stored = try sessions.flatMap { try contents.loops(session: $0.id) }
    let folding = LoopFolding(frameBudget: configuration.frameBudget)
    let stacks = StackReader(contents, search: search)
    let timers = TimerFolding(contents: contents, stacks: stacks)
    let drift = try timers.drift(sessions, loops: stored)
    var report = Report(
      frameBudget: configuration.frameBudget, catalog: configuration.catalog, sessions: sessions,
      loops: stored.map { folding.fold($0, modes: [], stalls: StallCounts(), threshold: 0) },
      stalls: StallReport(counts: StallCounts(), worst: [], signatures: []),
      timers: try timers.timers(sessions, loops: stored), drift: drift.all, driftByLoop: drift.loops,
      symbolNotes: stacks.notes, health: HealthFolding().folded())
    report.selection = contents.selection
    return report
  }

  private func stallReport<Contents: StoreContents>(
    _ contents: Contents, counts: StallCounts, directory: StallDirectory, stacks: StackReader<Contents>,
    eachSampled: EachSampled?
  ) throws -> StallReport {
    let signatures =
      try eachSampled.map { try Self.signatures(of: contents, stacks: stacks, eachSampled: $0) }
      ?? CauseSums.signatures(of: contents, stacks: stacks)
    let causes = signatures.folded()
    let worst = try contents.worstStalls(limit: configuration.worstStalls).map { stall in
      let analysis = try stacks.analysis(of: contents.samples(stall: stall.id), session: stall.session)
      return directory.listed(stall, analysis: analysis?.counted(by: causes.merged))
    }
    return StallReport(
      counts: counts, worst: worst,
      signatures: causes.reports, merged: causes.merged, unattributed: signatures.unattributed(of: counts))
  }
  /// Sums stalls by signature as ``CauseSums`` does, and passes each of them on with its samples, which takes longer.
  private static func signatures<Contents: StoreContents>(
    of contents: Contents, stacks: StackReader<Contents>, eachSampled: EachSampled
  ) throws -> SignatureFolding {
    var folding = SignatureFolding()
    try contents.forEachSampledStall { stall, samples in
      guard let analysis = try stacks.analysis(of: samples, session: stall.session) else { return }
      try eachSampled(stall, samples, analysis)
      guard stall.state != .cancelled else { return }
      let cause = analysis.signature.flatMap { signature in analysis.blame.map { (signature, $0) } }
      folding.add(StallSum(stall), cause)
    }
    return folding
  }
}
