import StallwatchCore
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// Exports a store to the formats of other tools.
package struct StoreExport<Contents: StoreContents> {
  let contents: Contents
  let stacks: StackReader<Contents>
  /// All sessions, oldest first.
  let sessions: [StoredSession]
  /// All loops, session by session.
  let loops: [StoredLoop]
  let directory: StallDirectory

  /// An export of `contents` that takes function names from `search`. Throws what `contents` throws.
  package init(_ contents: Contents, search: SymbolSearch = SymbolSearch()) throws {
    self.contents = contents
    stacks = StackReader(contents, search: search)
    sessions = try contents.sessions()
    loops = try sessions.flatMap { try contents.loops(session: $0.id) }
    directory = StallDirectory(sessions: sessions, loops: loops)
  }

  /// The whole store in a format that is no text; nil for one that is. Throws what reading throws.
  package func bytes(_ format: ExportFormat) throws -> [UInt8]? {
    format == .pprof ? try PprofExport(self).file() : nil
  }

  /// Writes the whole store in `format`, which must be text, into `sink`, metrics with the figures of `catalog`. Throws
  /// what reading and `sink` throw.
  package func write(
    _ format: ExportFormat, catalog: Catalog = .standard, into sink: @escaping TextSink
  ) throws {
    switch format {
    case .speedscope: try SpeedscopeExport(self).write(into: sink)
    case .perfetto: try PerfettoExport(self).write(into: sink)
    case .firefox: try FirefoxExport(self).write(into: sink)
    case .collapsed: try CollapsedExport(self).write(into: sink)
    case .pprof: assertionFailure("it is no text")
    case .jsonl: try writeLines(into: sink)
    case .openmetrics, .prometheus:
      var metrics = OpenMetricsExport(self, catalog: catalog)
      try metrics.write(format == .openmetrics ? .openMetrics : .prometheus, into: sink)
    }
  }

  /// Images whose functions were written as addresses, and why. Complete once everything is written.
  package var symbolNotes: [SymbolNote] { stacks.notes }

  /// A loop's name in the export, with its session where the store has several.
  func name(of loop: StoredLoop) -> String {
    sessions.count > 1 ? "#\(loop.session) \(loop.record.name)" : loop.record.name
  }

  private func writeLines(into sink: @escaping TextSink) throws {
    let merged = try SignatureFolding.merged(in: contents, stacks: stacks)
    var labels: [Int64: CommonLabels] = [:]
    for session in sessions {
      labels[session.id] = CommonLabels(try contents.labels(of: session), said: session.record.labels)
    }
    try contents.forEachStall { stall in
      let samples = try contents.samples(stall: stall.id)
      let analysis = try stacks.analysis(of: samples, session: stall.session)
      let listed = directory.listed(stall, analysis: analysis?.counted(by: merged))
      var writer = JSONWriter(to: sink)
      try writer.object(inline: true) {
        try $0.fields(listed)
        try $0.labels(labels[stall.session])
      }
      try writer.finish()
    }
  }
}
