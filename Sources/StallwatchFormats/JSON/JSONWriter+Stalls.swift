import StallwatchCore
import StallwatchReport

extension JSONWriter {
  /// One stall, on one line.
  mutating func stall(_ listed: ListedStall) throws {
    try object(inline: true) { try $0.fields(listed) }
  }

  /// The keys that a stall has wherever it is listed.
  mutating func fields(_ listed: ListedStall) throws {
    let stall = listed.stall
    try field("id", stall.id)
    try field("session", stall.session)
    try field("loop", stall.loop)
    try field("loop_name", listed.loopName)
    try field("thread_id", listed.threadID)
    try field("mode", stall.mode)
    try field("phase", stall.phaseName)
    try field("callout", listed.analysis?.callout?.rawValue)
    try field("depth", stall.began.depth)
    try field("kind", stall.began.kind.rawValue)
    try field("started_ns", stall.began.startedNs)
    try field("started_at", listed.startedAt.map(Timestamp.rfc3339))
    try field("duration_ns", stall.duration)
    try field("detected_after_ns", stall.detectedAfter)
    try field("severity", stall.severity.name)
    try field("state", stall.state.rawValue)
    try field("reason", stall.reason)
    try cause("cause", stall.cause)
    try blockedOn("blocked_on", listed.analysis?.blockedOn)
    try field("signature", listed.analysis?.signature?.key)
    try field("samples", listed.analysis?.sampleCount ?? 0)
    try key("annotations")
    try object(inline: true) { writer in
      for (name, value) in stall.began.annotations.sorted(by: { $0.key < $1.key }) { try writer.field(name, value) }
    }
  }
}
