import StallwatchStore

extension RowOrigin {
  /// The origin of a session's rows.
  init(_ session: StoredSession) {
    let process = session.record.process
    let program = session.record.command.first?.split(separator: "/").last.map(String.init) ?? ""
    self.init(
      session: StableHash.of([
        String(process.pid), String(process.startTime), process.bootID, process.host,
        String(session.record.startedNs),
      ]),
      service: program.isEmpty ? "unknown" : program, release: "unknown", environment: "",
      instance: process.host.isEmpty ? "unknown" : process.host)
  }
}
