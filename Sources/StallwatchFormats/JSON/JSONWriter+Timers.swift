import StallwatchCore
import StallwatchReport
import StallwatchStore

extension JSONWriter {
  /// One timer as an object over several lines.
  mutating func timer(_ report: TimerReport, _ catalog: Catalog) throws {
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
      try writer.fields(catalog.timer, of: report) { key, writer in
        if key == "dropped" { try writer.drops(timer.drops) }
        if key == "lateness" { try writer.worst(of: timer) }
      }
      try writer.windows(report.windows)
      try writer.key("stalls")
      try writer.array(inline: true) { writer in for stall in timer.stalls.rows { try writer.value(stall) } }
      try writer.key("remarks")
      try writer.array(inline: true) { writer in for remark in report.remarks { try writer.value(remark) } }
    }
  }

  private mutating func drops(_ drops: [(mode: String, count: UInt64)]) throws {
    try list("dropped_by_mode", drops) { writer, drop in
      try writer.object(inline: true) {
        try $0.field("mode", drop.mode)
        try $0.field("count", drop.count)
      }
    }
  }

  private mutating func windows(_ windows: [TimerReport.LateWindow]) throws {
    try list("windows", windows) { writer, window in
      try writer.object(inline: true) {
        try $0.field("started_ns", window.startedNs)
        try $0.field("length_ns", window.length)
        try $0.field("fired", window.fired)
        try $0.field("dropped", window.dropped)
        try $0.field("mean_lateness_ns", window.meanLateness)
        try $0.field("worst_lateness_ns", window.worstLateness)
      }
    }
  }

  private mutating func worst(of timer: StoredTimer) throws {
    try key("worst")
    guard let worst = timer.ledger.worst else { return try null() }
    try object(inline: true) {
      try $0.field("lateness_ns", worst.lateness)
      try $0.field("at_ns", worst.atNs)
      let stall = timer.stalls.worst.flatMap { $0.worstLateness >= worst.lateness ? $0.stall : nil }
      try $0.field("stall", stall)
    }
  }

  /// The drift of all loops together, and of each loop; null where it is unknown.
  mutating func drift(_ key: String, _ report: Report) throws {
    try self.key(key)
    guard let drift = report.drift else { return try null() }
    try object { writer in
      try writer.fields(drift, report.catalog)
      try writer.list("loops", report.driftByLoop) { writer, entry in
        try writer.object {
          try $0.field("loop", entry.loop)
          try $0.fields(entry.report, report.catalog)
        }
      }
    }
  }

  private mutating func fields(_ drift: DriftReport, _ catalog: Catalog) throws {
    try field("verdict", drift.verdict)
    try fields(catalog.drift, of: drift)
  }
}
