import StallwatchCore

/// Collapsed stacks: a line for each stack, its functions from the loop to the leaf with `;` between them, and its
/// microseconds.
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
    // Stacks that could not be read are a line without functions.
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

  /// `name` without what the format gives a meaning to.
  private static func plain(_ name: String) -> String {
    DisplayText.replaced(DisplayText.name(name)) { $0 == ";" ? ":" : nil }
  }
}
