import StallwatchCore
import StallwatchReport
import StallwatchStore

extension JSONWriter {
  /// One timer as an object over several lines.
  mutating func timer(_ report: TimerReport) throws {
    let (timer, record, ledger) = (report.timer, report.timer.record, report.timer.ledger)
    try object { writer in
      try writer.field("id", timer.id)
      try writer.field("timers", report.count)
      try writer.field("session", timer.session)
      try writer.field("loop", timer.loop)
      try writer.field("loop_name", report.loopName)
      try writer.field("name", record.name)
      try writer.field("title", report.title)
      try writer.field("kind", record.kind.rawValue)
      try writer.key("origin")
      if let origin = report.origin { try writer.frame(origin) } else { try writer.null() }
      try writer.field("interval_ns", record.interval)
      try writer.field("tolerance_ns", record.tolerance)
      try writer.key("modes")
      try writer.array(inline: true) { writer in for mode in record.modes { try writer.value(mode) } }
      try writer.field("made_ns", record.madeNs)
      try writer.field("ended_ns", ledger.endedNs)
      try writer.field("due", timer.due)
      try writer.field("fired", ledger.fired)
      try writer.field("dropped", ledger.dropped)
      try writer.list("dropped_by_mode", timer.drops) { writer, drop in
        try writer.object(inline: true) {
          try $0.field("mode", drop.mode)
          try $0.field("count", drop.count)
        }
      }
      try writer.field("dropped_outside", ledger.droppedOutside)
      try writer.field("coalesced", ledger.coalesced)
      try writer.field("rearmed", ledger.rearmed)
      try writer.field("interval_changes", ledger.intervalChanges)
      try writer.distribution("lateness_ns", report.lateness)
      try writer.key("worst")
      if let worst = ledger.worst {
        try writer.object(inline: true) {
          try $0.field("lateness_ns", worst.lateness)
          try $0.field("at_ns", worst.atNs)
          let stall = timer.stalls.worst.flatMap { $0.worstLateness >= worst.lateness ? $0.stall : nil }
          try $0.field("stall", stall)
        }
      } else {
        try writer.null()
      }
      try writer.key("callout_ns")
      try writer.object(inline: true) {
        try $0.field("total", ledger.calloutTotal)
        try $0.field("max", ledger.calloutMaximum)
      }
      try writer.key("stalls")
      try writer.array(inline: true) { writer in for stall in timer.stalls.rows { try writer.value(stall) } }
      try writer.key("remarks")
      try writer.array(inline: true) { writer in for remark in report.remarks { try writer.value(remark) } }
    }
  }

  /// The drift of all loops together, and of each loop; null where it is unknown.
  mutating func drift(_ key: String, _ drift: DriftReport?, loops: [(loop: Int64, report: DriftReport)]) throws {
    try self.key(key)
    guard let drift else { return try null() }
    try object { writer in
      try writer.fields(drift)
      try writer.list("loops", loops) { writer, entry in
        try writer.object {
          try $0.field("loop", entry.loop)
          try $0.fields(entry.report)
        }
      }
    }
  }

  private mutating func fields(_ drift: DriftReport) throws {
    try field("verdict", drift.verdict)
    try field("interval_ns", drift.interval)
    try field("ticks", drift.ticks)
    try field("dropped", drift.dropped)
    try distribution("run_loop_lateness_ns", drift.runLoop)
    try distribution("gcd_lateness_ns", drift.gcd)
    try key("drift_ns")
    try object(inline: true) {
      try $0.field("p50", drift.drift.p50)
      try $0.field("p90", drift.drift.p90)
      try $0.field("p99", drift.drift.p99)
      try $0.field("p999", drift.drift.p999)
      try $0.field("max", drift.drift.maximum)
      try $0.field("count", drift.drift.count)
    }
    try field("slope_ppm", drift.slope)
    try field("explained_by_stalls", drift.explained?.stalls)
    try field("explained_by_modes", drift.explained?.otherModes)
    try field("explained_by_machine", drift.explained?.machine)
  }
}
