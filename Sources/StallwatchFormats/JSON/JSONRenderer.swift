import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The whole report as `stallwatch.report/1`: durations in nanoseconds, shares 0…1, RFC 3339 times in UTC, null for
/// unknown. Later versions may add keys, but change the meaning of none.
package struct JSONRenderer: Sendable {
  /// The schema's name and version.
  package static let schema = "stallwatch.report/1"

  package init() {}

  /// Writes `report` into `sink`. Throws what `sink` throws.
  package func render(_ report: Report, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", Self.schema)
      try writer.key("verdict")
      try writer.object(inline: true) {
        try $0.field("rank", report.verdict.rank.rawValue)
        try $0.field("text", report.verdict.text)
      }
      try writer.field("frame_budget_ns", report.frameBudget)
      try writer.list("sessions", report.sessions) { try Self.write($1, to: &$0) }
      try writer.list("loops", report.loops) { try Self.write($1, to: &$0) }
      try writer.key("stalls")
      try writer.object { try Self.write(report.stalls, to: &$0) }
      try writer.list("profiles", report.profiles) { try Self.write($1, to: &$0) }
      try writer.symbolNotes("symbols", report.symbolNotes)
      try writer.list("timers", report.timers) { try $0.timer($1) }
      try writer.drift("drift", report.drift, loops: report.driftByLoop)
      try writer.key("health")
      try writer.object { try Self.write(report.health, to: &$0) }
    }
    try writer.finish()
  }

  private static func write(_ session: StoredSession, to writer: inout JSONWriter) throws {
    let record = session.record
    try writer.object { writer in
      try writer.field("id", session.id)
      try writer.key("command")
      try writer.array(inline: true) { writer in for word in record.command { try writer.value(word) } }
      try writer.field("pid", record.process.pid)
      try writer.field("host", record.process.host)
      try writer.field("platform", record.platform)
      try writer.field("origin", record.origin)
      try writer.field("started_at", Timestamp.rfc3339(record.startedAt))
      try writer.field("started_ns", record.startedNs)
      try writer.field("duration_ns", session.duration)
      try writer.field("threshold_ns", record.threshold)
      try writer.field("ended", session.ended.rawValue)
      try writer.field("exit_status", session.exitStatus)
    }
  }

  private static func write(_ loop: LoopReport, to writer: inout JSONWriter) throws {
    try writer.object { writer in
      try writer.field("id", loop.id)
      try writer.field("session", loop.session)
      try writer.field("name", loop.name)
      try writer.field("thread_id", loop.threadID)
      try writer.field("is_main", loop.isMain)
      try writer.field("iterations", loop.iterations)
      try writer.field("busy_ns", loop.busy)
      try writer.field("waiting_ns", loop.waiting)
      try writer.field("outside_ns", loop.outside)
      try writer.field("utilization", loop.utilization)
      try writer.field("hang_rate", loop.hangRate)
      try writer.field("jank_ms_per_s", loop.jank)
      try writer.distribution("span_ns", loop.span)
      try writer.distribution("gap_ns", loop.gap.all)
      try writer.key("gap_split")
      try writer.object(inline: true) {
        try $0.field("sources_ns", loop.gap.sources)
        try $0.field("waiting_ns", loop.gap.waiting)
      }
      try writer.field("stall_count", loop.stalls.count)
      try writer.field("stall_total_ns", loop.stalls.total)
      try writer.list("modes", loop.modes) { try write($1, to: &$0) }
    }
  }

  private static func write(_ mode: ModeReport, to writer: inout JSONWriter) throws {
    try writer.object { writer in
      try writer.field("name", mode.name)
      try writer.field("entries", mode.entries)
      try writer.field("iterations", mode.iterations)
      try writer.field("busy_ns", mode.busy)
      try writer.field("waiting_ns", mode.waiting)
      try writer.field("starved_ns", mode.starved)
      try writer.field("utilization", mode.utilization)
      try writer.field("jank_ms_per_s", mode.jank)
      try writer.distribution("span_ns", mode.span)
      try writer.key("phases")
      try writer.object { writer in
        for phase in Phase.allCases {
          let summary = mode.phases[phase] ?? DurationSummary()
          try writer.key(phase.name)
          try writer.object(inline: true) {
            try $0.field("count", summary.count)
            try $0.field("total_ns", summary.total)
            try $0.field("p50", summary.p50)
            try $0.field("p99", summary.p99)
            try $0.field("max", summary.maximum)
          }
        }
      }
    }
  }

  private static func write(_ stalls: StallReport, to writer: inout JSONWriter) throws {
    try writer.fields(stalls.counts)
    try writer.list("items", stalls.worst) { try $0.stall($1) }
    try writer.list("signatures", stalls.signatures) { try $0.signature($1) }
  }

  private static func write(_ profile: LoopProfile, to writer: inout JSONWriter) throws {
    try writer.object { writer in
      try writer.field("loop", profile.loop)
      try writer.field("samples", profile.count)
      try writer.field("weight_ns", profile.weight)
      try writer.callTree("calls", profile.tree.roots)
    }
  }

  private static func write(_ health: HealthReport, to writer: inout JSONWriter) throws {
    try write(losses: health.losses, to: &writer)
    try writer.field("blind_ns", health.blind)
    try writer.field("excluded_ns", health.excluded)
    try writer.field("observer_ns_total", health.observerTotal)
    try writer.field("monitor_cpu_ns", health.monitorCPU)
    try writer.distribution("watchdog_lateness_ns", health.watchdogLateness)
    try writer.field("wakeups_caused", health.wakeups)
    try writer.field("drift_wakeups", health.driftWakeups)
    try writer.list("intervals", health.intervals) { writer, interval in
      try writer.object(inline: true) {
        try $0.field("kind", interval.kind.rawValue)
        try $0.field("reason", interval.reason)
        try $0.field("count", interval.count)
        try $0.field("total_ns", interval.total)
        try $0.field("longest_ns", interval.longest)
      }
    }
    try writer.list("sessions", health.sessions) { writer, part in
      try writer.object {
        try $0.field("session", part.session)
        try write(losses: part.losses, to: &$0)
        try $0.field("blind_ns", part.blind)
        try $0.field("excluded_ns", part.excluded)
        try $0.field("observer_ns_total", part.observerTotal)
        try $0.field("monitor_cpu_ns", part.monitorCPU)
        try $0.distribution("watchdog_lateness_ns", part.watchdogLateness)
        try $0.field("wakeups_caused", part.wakeups)
        try $0.field("drift_wakeups", part.driftWakeups)
        try $0.field("trouble", part.trouble)
        try $0.field("signal_obstacle", part.signalObstacle)
      }
    }
  }

  private static func write(losses: [String: UInt64], to writer: inout JSONWriter) throws {
    try writer.key("losses")
    try writer.object(inline: true) { writer in
      for (buffer, count) in losses.sorted(by: { $0.key < $1.key }) { try writer.field(buffer, count) }
    }
  }
}
