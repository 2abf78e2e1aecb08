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
    let limits = TimelineBuilder.Limits(
      sessions: configuration.timelines, lanes: configuration.lanes, slices: configuration.slices,
      allSlices: configuration.allSlices, intervals: configuration.intervals, withStalls: true)
    (page.timelines, page.leftOutSessions) = try TimelineBuilder(limits: limits).build(report, from: contents)
    var causes = CauseFolding(
      Array(report.stalls.signatures.prefix(configuration.causes)), merged: report.stalls.merged, stacks: stacks)
    if !report.stalls.signatures.isEmpty { try contents.forEachSampledStall { try causes.add($0, $1) } }
    page.causes = try causes.folded(timers: report.timers, mostFunctions: configuration.flames)
    page.distributions = try LoopReport.worstFirst(report.loops).prefix(configuration.distributions)
      .compactMap {
        LoopDistribution($0, modes: try contents.modes(loop: $0.id), limit: configuration.distributions)
      }
    return page
  }
}
