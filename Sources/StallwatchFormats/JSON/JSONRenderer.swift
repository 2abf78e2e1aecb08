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
      try writer.selection("filter", report.selection)
      try writer.field("frame_budget_ns", report.frameBudget)
      try writer.list("sessions", report.sessions) { try Self.write($1, report.labels[$1.id], to: &$0) }
      try writer.list("loops", report.loops) { try Self.write($1, report.catalog, to: &$0) }
      try writer.timelines("timelines", report.timelines)
      try writer.key("stalls")
      try writer.object { try Self.write(report.stalls, report.catalog, to: &$0) }
      try writer.list("profiles", report.profiles) { try Self.write($1, to: &$0) }
      try writer.symbolNotes("symbols", report.symbolNotes)
      try writer.list("timers", report.timers) { try $0.timer($1, report.catalog) }
      try writer.drift("drift", report)
      try writer.key("health")
      try writer.object { try Self.write(report.health, report.catalog, to: &$0) }
    }
    try writer.finish()
  }

  private static func write(
    _ session: StoredSession, _ known: CompleteLabels?, to writer: inout JSONWriter
  ) throws {
    let record = session.record
    let labels = known ?? CompleteLabels(session) { nil }
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
      try writer.labels(CommonLabels(labels, said: record.labels))
    }
  }

  private static func write(_ loop: LoopReport, _ catalog: Catalog, to writer: inout JSONWriter) throws {
    try writer.object { writer in
      try writer.field("id", loop.id)
      try writer.field("session", loop.session)
      try writer.field("name", loop.name)
      try writer.field("thread_id", loop.threadID)
      try writer.field("is_main", loop.isMain)
      try writer.field("kind", loop.kind.rawValue)
      try writer.fields(catalog.loop, of: loop)
      try writer.list("modes", loop.modes) { writer, mode in
        try writer.object {
          try $0.field("name", mode.name)
          try $0.fields(catalog.mode, of: mode)
        }
      }
    }
  }

  private static func write(_ stalls: StallReport, _ catalog: Catalog, to writer: inout JSONWriter) throws {
    try writer.fields(catalog.stalls, of: StallFigures(counts: stalls.counts))
    try writer.list("items", stalls.worst) { try $0.stall($1) }
    let sentences = CauseSentences(stalls.signatures)
    try writer.list("signatures", stalls.signatures) { try $0.signature($1, sentence: sentences.sentence($1)) }
    try writer.key("unattributed")
    try writer.object(inline: true) {
      try $0.field("count", stalls.unattributed.count)
      try $0.field("unsampled_count", stalls.unattributed.unsampledCount)
      try $0.field("unread_count", stalls.unattributed.unreadCount)
      try $0.field("total_ns", stalls.unattributed.total)
    }
  }

  private static func write(_ profile: LoopProfile, to writer: inout JSONWriter) throws {
    try writer.object { writer in
      try writer.field("loop", profile.loop)
      try writer.field("samples", profile.count)
      try writer.field("weight_ns", profile.weight)
      try writer.callTree("calls", profile.tree.roots)
    }
  }

  private static func write(_ health: HealthReport, _ catalog: Catalog, to writer: inout JSONWriter) throws {
    try write(health.figures, catalog, to: &writer)
    try writer.list("intervals", health.intervals) { writer, interval in
      try writer.object(inline: true) {
        try $0.field("kind", interval.kind.rawValue)
        try $0.field("reason", interval.reason)
        try $0.field("count", interval.count)
        try $0.field("total_ns", interval.total)
        try $0.field("longest_ns", interval.longest)
      }
    }
    try writer.list("removed", health.removed) { writer, removed in
      try writer.object(inline: true) {
        try $0.field("session", removed.session)
        try $0.field("what", removed.what.rawValue)
        try $0.field("reason", removed.reason.rawValue)
        try $0.field("count", removed.count)
        try $0.field("until", removed.until.map(Timestamp.rfc3339))
      }
    }
    try writer.list("sessions", health.sessions) { writer, part in
      try writer.object {
        try $0.field("session", part.session)
        try write(part.figures, catalog, to: &$0)
        try $0.field("trouble", part.trouble)
        try $0.field("signal_obstacle", part.signalObstacle)
      }
    }
  }

  private static func write(_ figures: HealthFigures, _ catalog: Catalog, to writer: inout JSONWriter) throws {
    try writer.key("losses")
    try writer.object(inline: true) { writer in
      for (buffer, count) in figures.losses.sorted(by: { $0.key < $1.key }) { try writer.field(buffer, count) }
    }
    try writer.fields(catalog.health, of: figures)
  }
}
