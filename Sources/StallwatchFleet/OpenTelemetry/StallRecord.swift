import StallwatchCore
import StallwatchFormats
import StallwatchReport

/// A stall as a log record.
package struct StallRecord: Sendable {
  package var row: StallRow
  /// The names of its signature; nil without one.
  package var signature: SignatureRow?

  /// Sets every property as given.
  package init(row: StallRow, signature: SignatureRow?) {
    self.row = row
    self.signature = signature
  }

  /// OpenTelemetry's severity number and text: a warning for stalls that people notice, an error for those that they
  /// take for a crash.
  private var severity: (number: UInt64, text: String) {
    switch Severity(duration: row.duration) {
    case .brief, .long: (9, "INFO")
    case .microhang: (13, "WARN")
    case .hang: (14, "WARN2")
    case .severe: (17, "ERROR")
    }
  }

  private var sentence: String {
    let place = "\(row.laneName) was held for \(Figure.duration(row.duration))"
    guard let signature else { return place }
    return "\(place) by \(signature.title)"
  }

  /// Writes the fields of a LogRecord.
  func put(into record: inout ProtobufWriter) {
    record.fixed(row.started, field: 1)
    record.number(severity.number, field: 2)
    record.text(severity.text, field: 3)
    record.message(field: 5) { $0.text(sentence, field: 1) }
    record.attribute("stallwatch.stall.number", row.number, field: 6)
    record.attribute("stallwatch.stall.kind", row.kind, field: 6)
    record.attribute("stallwatch.stall.state", row.state, field: 6)
    record.attribute("stallwatch.stall.severity", row.severity, field: 6)
    record.attribute("stallwatch.stall.duration", ExponentialHistogram.seconds(row.duration), field: 6)
    record.attribute("stallwatch.lane.name", row.laneName, field: 6)
    record.attribute("stallwatch.lane.number", UInt64(row.lane), field: 6)
    record.attribute("stallwatch.mode", row.mode, field: 6)
    record.attribute("stallwatch.phase", row.phase, field: 6)
    for (name, time) in [("running", row.running), ("blocked", row.blocked), ("starved", row.starved)] where time > 0 {
      record.attribute("stallwatch.stall.\(name)", ExponentialHistogram.seconds(time), field: 6)
    }
    if !row.call.isEmpty { record.attribute("stallwatch.call", row.call, field: 6) }
    if !row.target.isEmpty { record.attribute("stallwatch.target", row.target, field: 6) }
    for (name, value) in row.annotations { record.attribute("stallwatch.annotation.\(name)", value, field: 6) }
    if let signature {
      record.attribute("stallwatch.signature", signature.signature, field: 6)
      record.attribute("code.function.name", signature.function, field: 6)
      if !signature.file.isEmpty { record.attribute("code.file.path", signature.file, field: 6) }
      if signature.line > 0 { record.attribute("code.line.number", UInt64(signature.line), field: 6) }
      if !signature.frames.isEmpty {
        record.attribute("code.stacktrace", signature.frames.joined(separator: "\n"), field: 6)
      }
    }
    record.fixed(row.version, field: 11)
    record.text("stallwatch.stall", field: 12)
  }
}
