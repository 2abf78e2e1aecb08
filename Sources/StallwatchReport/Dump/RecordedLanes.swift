import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// What a recording says of a process that still runs: its lanes, and what holds each of them now.
package struct RecordedLanes: Sendable {
  /// A lane of the process.
  package struct Lane: Sendable {
    /// The lane itself.
    package var record: LoopRecord
    /// For how long it has been held by what it serves now, in nanoseconds, up to the recording's last flush; nil while it
    /// is not held for the threshold or longer.
    package var held: Nanoseconds?
    /// What holds it, and where; nil where that is unknown.
    package var cause: String?
  }

  /// The recording's path.
  package var store: String
  /// The lanes whose threads have not ended, in the order in which they were first seen.
  package var lanes: [Lane]

  /// Reads them of the session of the process with this number that still runs; nil without one. Throws what `contents`
  /// throws.
  package init?(
    of process: Int32, in contents: some StoreContents, store: String, search: SymbolSearch = SymbolSearch()
  ) throws {
    let sessions = try contents.sessions()
    guard let session = sessions.last(where: { $0.ended == .running && $0.record.process.pid == process }) else {
      return nil
    }
    let open = try contents.openStalls().filter { $0.session == session.id && $0.state == .began }
    let stacks = StackReader(contents, search: search)
    self.store = store
    lanes = try contents.loops(session: session.id).filter { $0.endedNs == nil }.map { loop in
      guard let stall = open.first(where: { $0.loop == loop.id }) else { return Lane(record: loop.record) }
      let analysis = try stacks.analysis(of: contents.samples(stall: stall.id), session: session.id)
      return Lane(record: loop.record, held: stall.duration, cause: analysis?.sentence)
    }
  }
}
