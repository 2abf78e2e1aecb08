import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Lists all stalls of a store, one at a time.
package struct StallLister<Contents: StoreContents> {
  private let contents: Contents
  private let directory: StallDirectory
  private let stacks: StackReader<Contents>
  /// What of the store is listed; nil for all of it.
  package var selection: Selection? { contents.selection }
  /// The counts of all stalls.
  package let counts: StallCounts
  /// Whether the store has several sessions, so that a list must name each stall's session.
  package let hasSeveralSessions: Bool

  /// A lister of the stalls in `contents` that takes function names from `search`; throws what `contents` throws.
  package init(_ contents: Contents, search: SymbolSearch = SymbolSearch()) throws {
    self.contents = contents
    stacks = StackReader(contents, search: search)
    let sessions = try contents.sessions()
    let loops = try sessions.flatMap { try contents.loops(session: $0.id) }
    directory = StallDirectory(sessions: sessions, loops: loops)
    hasSeveralSessions = sessions.count > 1
    counts = try contents.stallTotals().reduce(into: StallCounts()) { $0.add($1) }
  }

  /// Calls `body` for every stall in the order of their start, including cancelled ones. Reads their samples only
  /// where `analyzing` is true.
  package func forEach(analyzing: Bool, _ body: (ListedStall) throws -> Void) throws {
    let merged = analyzing ? try SignatureFolding.merged(in: contents, stacks: stacks) : [:]
    try contents.forEachStall { stall in
      let samples = analyzing ? try contents.samples(stall: stall.id) : []
      let analysis = try stacks.analysis(of: samples, session: stall.session)
      try body(directory.listed(stall, analysis: analysis?.counted(by: merged)))
    }
  }
}
