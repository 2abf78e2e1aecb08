import StallwatchReport
import StallwatchStore

extension RowOrigin {
  /// The origin of the rows of a session with these labels.
  init(_ session: StoredSession, _ labels: CompleteLabels) {
    self.init(
      session: Self.number(of: session), service: labels.service, release: labels.release,
      environment: labels.environment, instance: labels.instance)
  }

  /// The number of a session, the same in every copy of its store: a hash of its process and its start.
  package static func number(of session: StoredSession) -> UInt64 {
    let process = session.record.process
    return StableHash.of([
      String(process.pid), String(process.startTime), process.bootID, process.host, String(session.record.startedNs),
    ])
  }
}
