import StallwatchReport

/// Which addresses of a store have names, as text and as `stallwatch.symbolize/1`.
package enum SymbolizeRenderer {
  /// The JSON schema's name and version.
  package static let schema = "stallwatch.symbolize/1"

  /// For people.
  package static func text(_ outcome: StoreSymbolizer.Outcome) -> String {
    var lines = [
      "\(addresses(outcome.named)) named, \(Figure.count(outcome.new)) of them new, in "
        + Figure.count(outcome.sessions, "session")
    ]
    if outcome.unnamed > 0 { lines.append("\(addresses(outcome.unnamed)) without a name") }
    lines += outcome.notes.map(\.text)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func addresses(_ count: Int) -> String {
    "\(Figure.count(count)) \(count == 1 ? "address" : "addresses")"
  }

  /// For scripts. Throws what `sink` throws.
  package static func json(_ outcome: StoreSymbolizer.Outcome, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", schema)
      try writer.field("sessions", outcome.sessions)
      try writer.field("named", outcome.named)
      try writer.field("new", outcome.new)
      try writer.field("unnamed", outcome.unnamed)
      try writer.symbolNotes("symbols", outcome.notes)
    }
    try writer.finish()
  }
}
