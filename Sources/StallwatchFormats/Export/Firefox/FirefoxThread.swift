import StallwatchCore
import StallwatchReport
import StallwatchStore

/// One thread of a Firefox profile: a loop, the samples of its stalls, and the stalls as markers.
struct FirefoxThread {
  var loop: StoredLoop
  /// The loop's session; nil when it is missing from the store.
  var session: StoredSession?
  /// The loop's name in the export, with its session where the store has several.
  var name: String
  /// The samples, in any order.
  var samples: [LoopSamples.Sample]
  var markers: [FirefoxMarker]
  /// The wall clock at time 0 of the file, in nanoseconds since 1970.
  var origin: UInt64

  /// Indices in the file's list of categories.
  private static let (programCategory, systemCategory) = (0, 1)
  /// The phase of markers with a start and an end.
  private static let intervalPhase = 1

  /// Writes the thread. Its stacks are in `table`, its libraries are the file's `libraries`.
  func write(table: StackTable, libraries: [String], to writer: inout JSONWriter) throws {
    var tables = FirefoxTables(table, libraries: libraries)
    let ordered = samples.sorted { $0.atNs < $1.atNs }
    let stacks = ordered.map { sample in sample.stack.map { tables.stack($0) } }
    let names = markers.map { marker in
      tables.text(marker.analysis?.sentence ?? FirefoxMarker.type)
    }
    try writer.object { writer in
      try writer.field("processType", "default")
      try writer.field("processStartupTime", 0)
      try writer.unknown("processShutdownTime")
      try writer.field("registerTime", time(loop.record.startedNs))
      try writer.field("unregisterTime", loop.endedNs.map(time))
      try writer.list("pausedRanges", EmptyCollection<Never>()) { _, _ in }
      try writer.field("name", name)
      try writer.field("isMainThread", loop.record.isMain)
      try writer.field("processName", session?.record.command.first)
      try writer.field("pid", String(session?.record.process.pid ?? 0))
      try writer.field("tid", loop.record.threadID)
      try writer.key("samples")
      try writer.object {
        try $0.field("length", ordered.count)
        try $0.field("weightType", "tracing-ms")
        try $0.column("stack", stacks) { try $0.value($1) }
        try $0.column("time", ordered) { try $0.value(time($1.atNs)) }
        try $0.column("weight", ordered) { try $0.value(Self.milliseconds($1.weight)) }
      }
      try writer.key("markers")
      try writer.object { try write(names: names, to: &$0) }
      try Self.write(tables, to: &writer)
    }
  }

  private func write(names: [Int], to writer: inout JSONWriter) throws {
    try writer.field("length", markers.count)
    try writer.column("name", names) { try $0.value($1) }
    try writer.column("category", markers) { writer, _ in try writer.value(Self.programCategory) }
    try writer.column("phase", markers) { writer, _ in try writer.value(Self.intervalPhase) }
    try writer.column("startTime", markers) { try $0.value(time($1.stall.began.startedNs)) }
    try writer.column("endTime", markers) {
      try $0.value(time($1.stall.began.startedNs.saturatingAdd($1.stall.duration)))
    }
    try writer.list("data", markers) { writer, marker in
      try writer.object(inline: true) {
        try $0.field("type", FirefoxMarker.type)
        for (key, value) in marker.values { try $0.field(key, value) }
      }
    }
  }

  private static func write(_ tables: FirefoxTables, to writer: inout JSONWriter) throws {
    let frames = tables.frames
    let category = { (frame: FirefoxTables.Frame) in frame.isSystem ? systemCategory : programCategory }
    try writer.key("stackTable")
    try writer.object {
      try $0.field("length", tables.stacks.count)
      try $0.column("prefix", tables.stacks) { try $0.value($1.caller) }
      try $0.column("frame", tables.stacks) { try $0.value($1.frame) }
      try $0.column("category", tables.stacks) { try $0.value(category(frames[$1.frame])) }
      try $0.column("subcategory", tables.stacks) { writer, _ in try writer.value(0) }
    }
    try writer.key("frameTable")
    try writer.object {
      try $0.field("length", frames.count)
      try $0.column("func", frames) { try $0.value($1.function) }
      try $0.column("line", frames) { try $0.value($1.line) }
      try $0.column("category", frames) { try $0.value(category($1)) }
      for key in ["address"] { try $0.column(key, frames) { writer, _ in try writer.value(-1) } }
      for key in ["inlineDepth", "subcategory", "innerWindowID"] {
        try $0.column(key, frames) { writer, _ in try writer.value(0) }
      }
      for key in ["column", "nativeSymbol", "implementation"] {
        try $0.column(key, frames) { writer, _ in try writer.null() }
      }
    }
    try writer.key("funcTable")
    try writer.object {
      try $0.field("length", tables.functions.count)
      try $0.column("name", tables.functions) { try $0.value($1.name) }
      try $0.column("fileName", tables.functions) { try $0.value($1.file) }
      try $0.column("resource", tables.functions) { try $0.value($1.resource) }
      for key in ["isJS", "relevantForJS"] {
        try $0.column(key, tables.functions) { writer, _ in try writer.value(false) }
      }
      for key in ["lineNumber", "columnNumber"] {
        try $0.column(key, tables.functions) { writer, _ in try writer.null() }
      }
    }
    try writer.key("resourceTable")
    try writer.object {
      let library = 1
      try $0.field("length", tables.resources.count)
      try $0.column("lib", tables.resources) { try $0.value($1.library) }
      try $0.column("name", tables.resources) { try $0.value($1.name) }
      try $0.column("host", tables.resources) { writer, _ in try writer.null() }
      try $0.column("type", tables.resources) { writer, _ in try writer.value(library) }
    }
    try writer.key("nativeSymbols")
    try writer.object {
      try $0.field("length", 0)
      for key in ["libIndex", "address", "name", "functionSize"] {
        try $0.column(key, EmptyCollection<Never>()) { _, _ in }
      }
    }
    try writer.column("stringArray", tables.texts) { try $0.value($1) }
  }

  /// A time of the session's monotonic clock, in milliseconds of the file.
  private func time(_ atNs: Nanoseconds) -> Double {
    guard let session = session?.record else { return Self.milliseconds(atNs) }
    return Self.milliseconds(session.startedAt - min(origin, session.startedAt))
      + (Double(atNs) - Double(session.startedNs)) / Double(Nanoseconds.millisecond)
  }

  private static func milliseconds(_ time: Nanoseconds) -> Double { Double(time) / Double(Nanoseconds.millisecond) }
}

extension JSONWriter {
  /// Writes a key with an array on one line.
  mutating func column<Element>(
    _ key: String, _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) throws -> Void
  ) throws {
    try self.key(key)
    try array(inline: true) { writer in
      for element in elements { try body(&writer, element) }
    }
  }
}
