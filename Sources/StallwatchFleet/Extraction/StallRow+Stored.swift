import StallwatchCore
import StallwatchReport
import StallwatchStore

extension StallRow {
  /// The row of a stall that is over, which began at `at`, nanoseconds since 1970.
  init(
    _ origin: RowOrigin, _ stall: StoredStall, at: UInt64, laneName: String, cause: SignatureRule.Cause?,
    version: UInt64
  ) {
    self.init(
      origin: origin, started: at, number: stall.began.id.rawValue, lane: stall.began.loop.rawValue,
      laneName: laneName, kind: stall.began.kind.rawValue, state: stall.state.rawValue,
      severity: stall.severity.name, mode: stall.mode, phase: stall.phaseName ?? "", duration: stall.duration,
      version: version)
    if let time = stall.cause { (running, blocked, starved) = (time.running, time.blocked, time.starved) }
    if let cause {
      signature = cause.signature.key
      (call, target) = (cause.blame.call ?? "", cause.blame.target ?? "")
    }
    annotations = stall.began.annotations.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }
}

extension SignatureRow {
  /// The row with the names of a signature of a service.
  init(_ report: SignatureReport, service: String, version: UInt64) {
    let place = report.blame.own?.location
    self.init(
      service: service, signature: report.signature.key, title: report.signature.title,
      function: report.blame.own?.function ?? "", file: place?.path ?? "", line: UInt32(clamping: place?.line ?? 0),
      call: report.signature.call ?? "", called: report.blame.called ?? "", near: report.signature.near ?? "",
      frames: report.signature.frames, version: version)
  }
}
