import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Folds a store's contents into a page. Reads samples once, stalls once and windows of time once.
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
    let sessions = try contents.sessions()
    var stories = try StoryTelling(
      contents, sessions: sessions, stacks: stacks, limit: configuration.report.worstStalls)
    let count = try contents.stallTotals().reduce(into: StallCounts()) { $0.add($1) }.listedCount
    var marking = StallMarking(
      count: count, shortest: try shortest(of: count, in: contents), sessions: sessions, stacks: stacks,
      configuration: configuration)
    let report = try ReportBuilder(configuration: configuration.report, search: search).build(
      from: contents, stacks: stacks
    ) { stall, samples, analysis in
      try marking.add(stall, samples, analysis)
      try stories.add(stall, samples, analysis)
    }
    var page = Page(report: report, store: store)
    let causes = self.causes(report)
    try addTimelines(to: &page, from: contents) { marking.add($0, causes: causes) }
    (page.marks, page.leftOutMarks) = (marking.marks, marking.leftOut)
    page.leftOutNotes = limitNotes(of: &page.marks)
    page.stories = try stories.told()
    page.causes = details(report, hurt: marking.hurt(report.timers, causes: causes))
    page.profiles = try profiles(report, in: contents, marking: &marking)
    page.stacks = marking.table
    page.distributions = try LoopReport.worstFirst(report.loops).prefix(configuration.distributions)
      .compactMap {
        LoopDistribution($0, modes: try contents.modes(loop: $0.id), limit: configuration.distributions)
      }
    return page
  }

  /// The duration from which on a stall has a mark.
  private func shortest(of count: Int, in contents: some StoreContents) throws -> Nanoseconds {
    guard count > configuration.marks else { return 0 }
    return try contents.worstStalls(limit: configuration.marks).map(\.duration).min() ?? 0
  }

  /// Takes the annotations from marks where there are too many different ones, and says from how many. The longest
  /// stalls keep theirs.
  private func limitNotes(of marks: inout [StallMark]) -> Int {
    let annotated = marks.indices.filter { !marks[$0].annotations.isEmpty }
    let longestFirst = annotated.sorted { (marks[$1].duration, $0) < (marks[$0].duration, $1) }
    var (kept, leftOut): (Set<[String: String]>, Int) = ([], 0)
    for place in longestFirst {
      let annotations = marks[place].annotations
      if kept.contains(annotations) { continue }
      if kept.count < configuration.notes {
        kept.insert(annotations)
      } else {
        marks[place].annotations = [:]
        leftOut += 1
      }
    }
    return leftOut
  }

  /// Where each signature is among the page's causes.
  private func causes(_ report: Report) -> [Signature: StallMark.Cause] {
    var causes: [Signature: StallMark.Cause] = [:]
    for (place, cause) in report.stalls.signatures.prefix(configuration.causes).enumerated() {
      causes[cause.signature] = .listed(place)
    }
    return causes.merging(report.stalls.merged.compactMapValues { causes[$0] }) { whole, _ in whole }
  }

  /// Adds timelines with finer slices of busy time. `mark` gets every stall of the store, and says whether it has a
  /// mark.
  private func addTimelines(
    to page: inout Page, from contents: some StoreContents, mark: (StoredStall) -> Bool
  ) throws {
    let limits = TimelineBuilder.Limits(
      sessions: configuration.timelines, lanes: configuration.lanes, slices: configuration.slices,
      allSlices: configuration.allSlices, intervals: configuration.intervals,
      withStalls: true)
    var busy: [Int64: BusyTime] = [:]
    (page.timelines, page.leftOutSessions) = try TimelineBuilder(limits: limits).build(
      page.report, from: contents,
      lanes: { lanes in
        let all = max(lanes.map(\.loops.count).reduce(0, +), 1)
        for (session, loops) in lanes {
          busy[session.id] = BusyTime(session, mostSlices: configuration.busySlices / all, loops: loops)
        }
      },
      window: { busy[$0]?.add($1) },
      // What has a mark is drawn exactly.
      stall: { !mark($0) })
    while busy.values.map(\.size).reduce(0, +) > configuration.busyBytes,
      let finest = busy.min(by: { ($0.value.slice, $0.key) < ($1.value.slice, $1.key) })?.key
    {
      busy[finest]?.coarsen()
    }
    page.busy = busy
  }

  private func details(_ report: Report, hurt: [[Int: Int]]) -> [CauseDetail] {
    report.stalls.signatures.prefix(configuration.causes).enumerated().map { place, cause in
      let timers = zip(report.timers, hurt).compactMap { timer, counts in
        counts[place].map { CauseDetail.HurtTimer(timer: timer.timer.id, title: timer.title, stalls: $0) }
      }
      return CauseDetail(
        report: cause, timers: timers.sorted { ($0.stalls, $1.timer) > ($1.stalls, $0.timer) })
    }
  }

  private func profiles<Contents: StoreContents>(
    _ report: Report, in contents: Contents, marking: inout StallMarking<Contents>
  ) throws -> [PageProfile] {
    let sessions = Dictionary(report.loops.map { ($0.id, $0.session) }, uniquingKeysWith: { first, _ in first })
    let busiest = report.profiles.sorted { ($1.weight, $0.loop) < ($0.weight, $1.loop) }
    return try busiest.prefix(configuration.profiles).map { profile in
      var page = PageProfile(profile: profile, stacks: [])
      guard let session = sessions[profile.loop] else { return page }
      // The heaviest come first.
      let all = try contents.profile(loop: profile.loop)
      for stack in all.prefix(configuration.profiledStacks) {
        let (node, isWhole) = try marking.node(of: stack.frames, session: session)
        if !isWhole { page.cut = page.cut.saturatingAdd(stack.weight) }
        page.stacks.append((node, stack.weight))
      }
      page.leftOut = all.dropFirst(configuration.profiledStacks).map(\.weight).saturatingSum()
      return page
    }
  }
}
