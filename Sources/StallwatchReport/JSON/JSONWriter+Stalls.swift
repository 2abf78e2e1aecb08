import StallwatchCore

extension JSONWriter {
  /// The counts that stand before a list of stalls.
  mutating func fields(_ counts: StallCounts) throws {
    try field("count", counts.count)
    try key("by_severity")
    try object(inline: true) { writer in
      for severity in Severity.allCases { try writer.field(severity.name, counts.bySeverity[severity] ?? 0) }
    }
    try field("total_ns", counts.total)
    try field("fatal_count", counts.fatalCount)
    try field("open_count", counts.openCount)
    try field("congestion_count", counts.congestionCount)
    try field("congestion_total_ns", counts.congestionTotal)
    try field("cancelled_count", counts.cancelledCount)
  }

  /// One stall, on one line.
  mutating func stall(_ listed: ListedStall) throws {
    let stall = listed.stall
    try object(inline: true) { writer in
      try writer.field("id", stall.id)
      try writer.field("session", stall.session)
      try writer.field("loop", stall.loop)
      try writer.field("loop_name", listed.loopName)
      try writer.field("thread_id", listed.threadID)
      try writer.field("mode", stall.mode)
      try writer.field("phase", stall.began.phase.name)
      try writer.unknown("callout")
      try writer.field("depth", stall.began.depth)
      try writer.field("kind", stall.began.kind.rawValue)
      try writer.field("started_ns", stall.began.startedNs)
      try writer.field("started_at", listed.startedAt.map(Timestamp.rfc3339))
      try writer.field("duration_ns", stall.duration)
      try writer.field("detected_after_ns", stall.detectedAfter)
      try writer.field("severity", stall.severity.name)
      try writer.field("state", stall.state.rawValue)
      try writer.field("reason", stall.reason)
      try writer.unknown("cause")
      try writer.unknown("blocked_on")
      try writer.unknown("signature")
      try writer.field("samples", 0)
      try writer.key("annotations")
      try writer.object(inline: true) { writer in
        for (name, value) in stall.began.annotations.sorted(by: { $0.key < $1.key }) { try writer.field(name, value) }
      }
    }
  }
}
