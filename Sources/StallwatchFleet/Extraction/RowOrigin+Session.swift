import StallwatchReport
import StallwatchStore

extension RowOrigin {
  /// The origin of the rows of a session with these labels.
  init(_ session: StoredSession, _ labels: CompleteLabels) {
    self.init(
      session: Self.number(of: session), service: labels.service, release: labels.release, environment: labels.environment, instance: labels.instance)
  }

  /// The number that a session has in every copy of its store.
  static func number(of session: StoredSession) -> UInt64 {
    let process = session.record.process
    return StableHash.of([
      String(process.pid), String(process.startTime), process.bootID, process.host, String(session.record.startedNs),
    ])
  }
}
