import StallwatchCore
import StallwatchReport

/// Collapsed stacks, one per line: the functions from the loop to the leaf, separated by `;`, and the microseconds.
struct CollapsedExport<Contents: StoreContents> {
  private let export: StoreExport<Contents>

  init(_ export: StoreExport<Contents>) { self.export = export }

  func write(into sink: TextSink) throws {
    let samples = try LoopSamples(export)
    for loop in export.loops {
      let name = export.name(of: loop)
      try write(samples.stalls[loop.id] ?? [], root: "\(name): stalls", table: samples.table, into: sink)
      try write(samples.profiles[loop.id] ?? [], root: "\(name): busy time", table: samples.table, into: sink)
    }
  }

  private func write(_ samples: [LoopSamples.Sample], root: String, table: StackTable, into sink: TextSink) throws {
    var weights: [Int: Nanoseconds] = [:]
    // Unreadable stacks become a line without functions.
    for sample in samples {
      weights[sample.stack ?? -1] = weights[sample.stack ?? -1, default: 0].saturatingAdd(sample.weight)
    }
    for (place, weight) in weights.sorted(by: { $0.key < $1.key }) {
      let names = table.functions(ofStackAt: place < 0 ? nil : place).map { table.functions[$0].name }
      let line = ([root] + names).map { Self.plain($0) }.joined(separator: ";")
      let microseconds = weight.saturatingAdd(.microsecond / 2) / .microsecond
      if microseconds > 0 { try sink("\(line) \(microseconds)\n") }
    }
  }

  /// `name` without characters that have a meaning in the format.
  private static func plain(_ name: String) -> String {
    DisplayText.replaced(DisplayText.name(name)) { $0 == ";" ? ":" : nil }
  }
}
