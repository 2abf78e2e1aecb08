import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The Firefox Profiler's processed profile format, version 48 of its changelog: one thread per loop, with the samples
/// of its stalls by time and the stalls as markers. Times and weights are milliseconds from the first session's start.
struct FirefoxExport<Contents: StoreContents> {
  private let export: StoreExport<Contents>
  private static var version: Int { 48 }

  init(_ export: StoreExport<Contents>) { self.export = export }

  func write(into sink: @escaping TextSink) throws {
    let samples = try LoopSamples(export)
    let libraries = Set(samples.table.functions.compactMap(\.image)).sorted()
    let markers = try FirefoxMarker.all(export)
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.key("meta")
      try writer.object { try writeMeta(to: &$0) }
      try writer.list("libs", libraries) { writer, path in
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try writer.object(inline: true) {
          try $0.unknown("arch")
          for key in ["name", "debugName"] { try $0.field(key, name) }
          for key in ["path", "debugPath"] { try $0.field(key, path) }
          try $0.field("breakpadId", "")
          try $0.unknown("codeId")
        }
      }
      try writer.list("pages", EmptyCollection<Never>()) { _, _ in }
      try writer.list("threads", export.loops) { writer, loop in
        let thread = FirefoxThread(
          loop: loop, session: export.sessions.first { $0.id == loop.session }, name: export.name(of: loop),
          samples: samples.stalls[loop.id] ?? [], markers: markers[loop.id] ?? [], origin: origin)
        try thread.write(table: samples.table, libraries: libraries, to: &writer)
      }
    }
    try writer.finish()
  }

  /// The wall clock at the first session's start, in nanoseconds since 1970.
  private var origin: UInt64 { export.sessions.map(\.record.startedAt).min() ?? 0 }

  private func writeMeta(to writer: inout JSONWriter) throws {
    try writer.field("version", 28)
    try writer.field("preprocessedProfileVersion", Self.version)
    try writer.field("startTime", Double(origin) / Double(Nanoseconds.millisecond))
    try writer.field("interval", 10)
    try writer.field("processType", 0)
    try writer.field("stackwalk", 1)
    try writer.field("debug", false)
    try writer.field("symbolicated", true)
    try writer.field("product", export.sessions.first?.record.command.first ?? "stallwatch")
    try writer.field("importedFrom", "stallwatch")
    try writer.field("platform", export.sessions.first?.record.platform)
    let labelled = export.sessions.filter { !$0.record.labels.isEmpty }
    if !labelled.isEmpty {
      try writer.list("extra", labelled) { writer, session in
        try writer.object {
          try $0.field("label", export.sessions.count > 1 ? "Session #\(session.id)" : "Session")
          try $0.list("entries", SaidLabels.all(session)) { writer, label in
            try writer.object(inline: true) {
              try $0.field("label", label.name)
              try $0.field("format", "string")
              try $0.field("value", label.value)
            }
          }
        }
      }
    }
    try writer.key("extensions")
    try writer.object(inline: true) {
      for key in ["baseURL", "id", "name"] { try $0.list(key, EmptyCollection<Never>()) { _, _ in } }
      try $0.field("length", 0)
    }
    try writer.list("categories", [("Program", "yellow"), ("System", "grey")]) { writer, category in
      try writer.object(inline: true) {
        try $0.field("name", category.0)
        try $0.field("color", category.1)
        try $0.key("subcategories")
        try $0.array(inline: true) { try $0.value("Other") }
      }
    }
    try writer.list("markerSchema", [FirefoxMarker.type]) { writer, type in
      try writer.object {
        try $0.field("name", type)
        try $0.field("chartLabel", "{marker.data.severity}")
        try $0.field("tableLabel", "{marker.data.cause}")
        try $0.list("display", ["marker-chart", "marker-table", "timeline-overview"]) { try $0.value($1) }
        try $0.list("data", FirefoxMarker.fields) { writer, field in
          try writer.object(inline: true) {
            try $0.field("key", field.key)
            try $0.field("label", field.label)
            try $0.field("format", "string")
          }
        }
      }
    }
  }
}
