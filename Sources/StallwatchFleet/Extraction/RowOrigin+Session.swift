import StallwatchReport
import StallwatchStore

extension RowOrigin {
  /// The origin of the rows of a session with these labels.
  init(_ session: StoredSession, _ labels: CompleteLabels) {
    let process = session.record.process
    self.init(
      session: StableHash.of([
        String(process.pid), String(process.startTime), process.bootID, process.host,
        String(session.record.startedNs),
      ]),
      service: labels.service, release: labels.release, environment: labels.environment, instance: labels.instance)
  }
}
