import StallwatchReport

/// A budget report as `stallwatch.check/1`: durations in nanoseconds, shares 0…1, null for unknown.
package struct BudgetJSONRenderer: Sendable {
  /// The schema's name and version.
  package static let schema = "stallwatch.check/1"

  package init() {}

  /// Writes `report` into `sink`. Throws what `sink` throws.
  package func render(_ report: BudgetReport, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", Self.schema)
      try writer.field("store", report.store)
      try writer.field("held", report.findings.isEmpty)
      try writer.field("caveat", report.caveat)
      try writer.list("results", report.results) { writer, result in
        try writer.object {
          try $0.field("key", result.key)
          try $0.field("verdict", result.verdict.rawValue)
          try $0.field("unit", result.unit.rawValue)
          try $0.field("limit", result.limit)
          try $0.field("value", result.value)
          try $0.field("stall", result.stall)
          try $0.field("detail", result.detail)
          try $0.field("cause", result.culprit?.sentence)
          try $0.field("file", result.culprit?.location?.path)
          try $0.field("line", result.culprit?.location?.line)
        }
      }
      try writer.list("allowed", report.allowed) { writer, entry in
        try writer.object {
          try $0.field("signature", entry.signature.signature)
          try $0.field("owner", entry.signature.owner)
          try $0.field("until", entry.signature.until)
          try $0.field("stalls", entry.stalls)
        }
      }
    }
    try writer.finish()
  }
}
