import StallwatchCore
import StallwatchReport

/// A dump of a process as `stallwatch.dump/1`: the process, circles of waiting threads, then every thread with its stack.
package struct DumpJSONRenderer: Sendable {
  /// The schema's name and version.
  package static let schema = "stallwatch.dump/1"

  package init() {}

  /// Writes `report` into `sink`. Throws what `sink` throws.
  package func render(_ report: DumpReport, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", Self.schema)
      try writer.field("pid", report.dump.pid)
      try writer.key("command")
      try writer.array(inline: true) { for word in report.dump.command { try $0.value(word) } }
      try writer.field("taken_at", Timestamp.rfc3339(report.dump.takenAt))
      try writer.field("duration_ns", report.dump.duration)
      try writer.field("age_ns", report.dump.age)
      try writer.list("gaps", report.dump.gaps) { try $0.value($1) }
      try writer.list("deadlocks", report.deadlocks) { writer, threads in
        try writer.array(inline: true) { for thread in threads { try $0.value(thread.read.id) } }
      }
      try writer.field("has_unserved_main_queue", report.hasUnservedMainQueue)
      try writer.field("store", report.dump.store)
      try writer.list("lanes", report.recorded?.lanes ?? []) { try Self.write($1, to: &$0) }
      try writer.list("threads", report.threads) { try Self.write($1, to: &$0) }
      try writer.symbolNotes("symbols", report.symbolNotes)
    }
    try writer.finish()
  }

  private static func write(_ lane: RecordedLanes.Lane, to writer: inout JSONWriter) throws {
    try writer.object(inline: true) { writer in
      try writer.field("name", lane.record.name)
      try writer.field("kind", lane.record.kind.rawValue)
      try writer.field("is_main", lane.record.isMain)
      try writer.field("thread_id", lane.record.threadID)
      try writer.field("held_ns", lane.held)
      try writer.field("cause", lane.cause)
    }
  }

  private static func write(_ thread: DumpReport.Thread, to writer: inout JSONWriter) throws {
    let read = thread.read
    try writer.object { writer in
      try writer.field("id", read.id)
      try writer.field("name", read.name)
      try writer.field("is_main", read.isMain)
      try writer.field("state", read.state?.rawValue)
      try writer.field("cpu_ns", read.cpu)
      try writer.field("load", thread.load)
      try writer.field("is_still", read.isStill)
      try writer.key("blocked_on")
      if let blockedOn = read.blockedOn {
        try writer.object(inline: true) {
          try $0.field("system_call", blockedOn.systemCall)
          try $0.field("target", blockedOn.target)
        }
      } else {
        try writer.null()
      }
      try writer.key("waits_for")
      if let link = read.waitsFor {
        try writer.object(inline: true) {
          try $0.field("kind", link.kind.rawValue)
          try $0.field("thread", link.thread)
          try $0.field("object", link.object)
        }
      } else {
        try writer.null()
      }
      try writer.field("without_stack", read.withoutStack)
      try writer.list("frames", thread.frames) { try $0.frame($1) }
    }
  }
}
