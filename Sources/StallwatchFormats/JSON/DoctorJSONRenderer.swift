import StallwatchReport

/// A doctor report as `stallwatch.doctor/1`: `can_record`, and `findings` with `topic`, `status` (`good`, `limit`,
/// `obstacle`), `value` (null for unknown) and `remark` (null for none).
package struct DoctorJSONRenderer: Sendable {
  /// The schema's name and version.
  package static let schema = "stallwatch.doctor/1"

  package init() {}

  /// Writes `report` into `sink`. Throws what `sink` throws.
  package func render(_ report: DoctorReport, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", Self.schema)
      try writer.field("can_record", report.canRecord)
      try writer.list("findings", report.findings) { writer, finding in
        try writer.object(inline: true) {
          try $0.field("topic", finding.topic)
          try $0.field("status", finding.status.rawValue)
          try $0.field("value", finding.value)
          try $0.field("remark", finding.remark)
        }
      }
    }
    try writer.finish()
  }
}
