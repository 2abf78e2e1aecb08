import StallwatchCore

extension ImageRecord {
  /// The images of the session in row `session`, in the order in which they were first seen.
  static func all(session: Int64, in connection: Connection) throws(SQLiteFailure) -> [ImageRecord] {
    let statement = try connection.prepare(
      """
      SELECT number, path, build_id, base_address, start_address, end_address FROM images WHERE session = ?1 ORDER BY number
      """)
    statement.bind(session, at: 1)
    var images: [ImageRecord] = []
    var order = RowOrder<Int64>("images")
    while try statement.step() {
      var row = statement.row
      try order.take(try row.number())
      images.append(try ImageRecord(row))
    }
    return images
  }

  private init(_ columns: Row) throws(SQLiteFailure) {
    var row = columns
    guard let path = try row.textIfAny(longest: SampleLimits.longestText) else {
      throw .badContents("an image has no path")
    }
    let buildID = try Self.buildID(&row)
    self.init(
      path: path, buildID: buildID, base: try row.address(), start: try row.address(), end: try row.address())
    guard start <= end else { throw .badContents("an image ends before it starts") }
  }

  /// Reads a build-id; nil for NULL.
  static func buildID(_ row: inout Row) throws(SQLiteFailure) -> String? {
    let buildID = try row.textIfAny(longest: SampleLimits.longestText)
    // The build-id becomes a part of the paths in which symbols are sought.
    if let buildID, !buildID.utf8.allSatisfy(hexadecimalDigits.contains) {
      throw .badContents("a build-id is not hexadecimal")
    }
    return buildID
  }

  private static let hexadecimalDigits = "0123456789abcdef".utf8
}

extension Row {
  /// An address, stored with its 64 bits.
  fileprivate mutating func address() throws(SQLiteFailure) -> UInt64 {
    UInt64(bitPattern: try number(Int64.self))
  }
}
