/// A row as one line of JSON, for people who want to see what would leave.
package enum ShippedLine {
  /// The line, without its break: `{"table":"stalls","service":"app",…}`.
  package static func text(of row: some FleetRow) -> String {
    var encoder = RowEncoder(asJSON: true)
    row.encode(into: &encoder)
    let columns = zip(type(of: row).columns, encoder.values ?? []).map { "\(RowEncoder.json($0)):\($1)" }
    return "{\"table\":\(RowEncoder.json(type(of: row).table)),\(columns.joined(separator: ","))}"
  }
}
