import StallwatchReport

/// One stall as `stallwatch.stall/1`: the stall with the keys of every list, its samples, and their time by call path.
package struct StallJSONRenderer: Sendable {
  /// The schema's name and version.
  package static let schema = "stallwatch.stall/1"

  package init() {}

  /// Writes `detail` into `sink`. Throws what `sink` throws.
  package func render(_ detail: StallDetail, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", Self.schema)
      try writer.field("verdict", detail.verdict.text)
      try writer.key("stall")
      try writer.object { try $0.fields(detail.listed) }
      try writer.field("signature_title", detail.listed.analysis?.signature?.title)
      try writer.field("sentence", detail.listed.analysis?.sentence)
      try writer.field("blocked_on_ns", detail.listed.analysis.flatMap { $0.blockedOn == nil ? nil : $0.blockedOnTime })
      if let waiter = detail.waiter {
        try writer.key("waiter")
        try writer.frame(waiter)
      } else {
        try writer.unknown("waiter")
      }
      try writer.list("samples", detail.samples) { try Self.write($1, to: &$0) }
      try writer.list("timers", detail.timers) { writer, entry in
        try writer.object(inline: true) {
          try $0.field("timer", entry.hurt.timer)
          try $0.field("title", entry.title)
          try $0.field("late", entry.hurt.late)
          try $0.field("dropped", entry.hurt.dropped)
          try $0.field("worst_lateness_ns", entry.hurt.worstLateness)
        }
      }
      try writer.callTree("calls", detail.tree.roots)
      try writer.symbolNotes("symbols", detail.symbolNotes)
    }
    try writer.finish()
  }

  private static func write(_ sample: StallDetail.Sample, to writer: inout JSONWriter) throws {
    try writer.object { writer in
      try writer.field("at_ns", sample.sample.atNs)
      try writer.field("weight_ns", sample.sample.weight)
      try writer.field("activity", sample.sample.activity.rawValue)
      try writer.blockedOn("blocked_on", sample.sample.blockedOn)
      try writer.list("frames", sample.frames) { try $0.frame($1) }
      try writer.list("owner_frames", sample.ownerFrames) { try $0.frame($1) }
    }
  }
}
