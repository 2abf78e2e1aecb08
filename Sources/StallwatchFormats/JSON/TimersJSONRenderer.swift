import StallwatchReport

/// Timers and drift as `stallwatch.timers/1`.
package struct TimersJSONRenderer: Sendable {
  /// The schema's name and version.
  package static let schema = "stallwatch.timers/1"

  package init() {}

  /// Writes the timers of `report` into `sink`. Throws what `sink` throws.
  package func render(_ report: Report, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", Self.schema)
      try writer.selection("filter", report.selection)
      try writer.list("loops", report.loops) { writer, loop in
        try writer.object(inline: true) {
          try $0.field("id", loop.id)
          try $0.field("session", loop.session)
          try $0.field("name", loop.name)
          try $0.field("thread_id", loop.threadID)
        }
      }
      try writer.list("timers", report.timers) { try $0.timer($1, report.catalog) }
      try writer.drift("drift", report)
    }
    try writer.finish()
  }
}
