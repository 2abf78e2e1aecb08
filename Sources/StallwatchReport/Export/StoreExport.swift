import StallwatchCore
import StallwatchStore

/// Turns a store into a format of other tools.
public struct StoreExport<Contents: StoreContents> {
  let contents: Contents
  let stacks: StackReader<Contents>
  /// All sessions, oldest first.
  let sessions: [StoredSession]
  /// All loops, session by session.
  let loops: [StoredLoop]
  let directory: StallDirectory

  /// An export of `contents`, whose functions are named by what `search` finds. Throws what `contents` throws.
  public init(_ contents: Contents, search: SymbolSearch = SymbolSearch()) throws {
    self.contents = contents
    stacks = StackReader(contents, search: search)
    sessions = try contents.sessions()
    loops = try sessions.flatMap { try contents.loops(session: $0.id) }
    directory = StallDirectory(sessions: sessions, loops: loops)
  }

  /// Writes everything in `format` into `sink`. Throws what reading and `sink` throw.
  public func write(_ format: ExportFormat, into sink: @escaping TextSink) throws {
    switch format {
    case .speedscope: try SpeedscopeExport(self).write(into: sink)
    case .perfetto: try PerfettoExport(self).write(into: sink)
    case .firefox: try FirefoxExport(self).write(into: sink)
    case .collapsed: try CollapsedExport(self).write(into: sink)
    case .jsonl: try writeLines(into: sink)
    case .openmetrics:
      var metrics = OpenMetricsExport(self)
      try metrics.write(into: sink)
    }
  }

  /// Images whose functions were written as addresses, and why. Known once everything is written.
  public var symbolNotes: [SymbolNote] { stacks.notes }

  /// What a loop is called among all of them.
  func name(of loop: StoredLoop) -> String {
    sessions.count > 1 ? "#\(loop.session) \(loop.record.name)" : loop.record.name
  }

  private func writeLines(into sink: @escaping TextSink) throws {
    try contents.forEachStall { stall in
      let samples = try contents.samples(stall: stall.id)
      let listed = directory.listed(stall, analysis: try stacks.analysis(of: samples, session: stall.session))
      var writer = JSONWriter(to: sink)
      try writer.stall(listed)
      try writer.finish()
    }
  }
}
