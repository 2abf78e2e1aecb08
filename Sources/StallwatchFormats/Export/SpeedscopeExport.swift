import StallwatchCore
import StallwatchReport

/// speedscope's file format (`https://www.speedscope.app/file-format-schema.json`): for each loop one sampled profile
/// of its stalls and one of its busy time.
struct SpeedscopeExport<Contents: StoreContents> {
  private let export: StoreExport<Contents>

  init(_ export: StoreExport<Contents>) { self.export = export }

  func write(into sink: @escaping TextSink) throws {
    let samples = try LoopSamples(export)
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("$schema", "https://www.speedscope.app/file-format-schema.json")
      try writer.field("name", name)
      try writer.field("exporter", "stallwatch")
      try writer.key("shared")
      try writer.object { writer in
        try writer.list("frames", samples.table.functions) { try Self.write($1, to: &$0) }
      }
      try writer.key("profiles")
      try writer.array { writer in
        for loop in export.loops {
          let name = export.name(of: loop)
          if let stalls = samples.stalls[loop.id] {
            try Self.write(stalls, name: "\(name): stalls", table: samples.table, to: &writer)
          }
          if let profile = samples.profiles[loop.id] {
            try Self.write(profile, name: "\(name): busy time", table: samples.table, to: &writer)
          }
        }
      }
    }
    try writer.finish()
  }

  /// The command, and the labels that were set alike in all sessions: the format has no other place for them.
  private var name: String {
    guard let first = export.sessions.first else { return "stallwatch" }
    let command = first.record.command.joined(separator: " ")
    let labels = SaidLabels.all(first).filter { label in
      export.sessions.allSatisfy { SaidLabels.all($0).contains { $0 == label } }
    }
    if labels.isEmpty { return command }
    return "\(command) (\(labels.map { "\($0.name) \($0.value)" }.joined(separator: ", ")))"
  }

  private static func write(_ function: StackTable.Function, to writer: inout JSONWriter) throws {
    try writer.object(inline: true) {
      try $0.field("name", function.name)
      if let file = function.file ?? function.image { try $0.field("file", file) }
      if let line = function.line { try $0.field("line", line) }
    }
  }

  private static func write(
    _ samples: [LoopSamples.Sample], name: String, table: StackTable, to writer: inout JSONWriter
  ) throws {
    try writer.object { writer in
      try writer.field("type", "sampled")
      try writer.field("name", name)
      try writer.field("unit", "nanoseconds")
      try writer.field("startValue", 0)
      try writer.field("endValue", samples.map(\.weight).saturatingSum())
      try writer.list("samples", samples) { writer, sample in
        try writer.array(inline: true) { writer in
          for place in table.functions(ofStackAt: sample.stack) { try writer.value(place) }
        }
      }
      try writer.key("weights")
      try writer.array(inline: true) { writer in for sample in samples { try writer.value(sample.weight) } }
    }
  }
}
