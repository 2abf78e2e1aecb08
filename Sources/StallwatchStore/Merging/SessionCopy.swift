import CSQLite
import StallwatchCore

/// Copies sessions from one store to another row by row, so that memory holds one row at a time.
///
/// It reads the source through a connection of its own, which trusts nothing in the file's schema, and never attaches
/// it: the writer would run the schema of an attached file.
///
/// Rows get new numbers: their old ones plus the highest that the target's table had.
final class SessionCopy {
  private struct Copying {
    let source: Statement
    let insert: Statement
    /// What to add to each column's number; nil for columns copied unchanged.
    let offsets: [Int64?]
  }

  private var copyings: [Copying] = []
  /// What the rows of each table get added to their numbers.
  private let offsets: [String: Int64]
  private let target: Connection
  /// Nil where the source has no names.
  private let names: NameCopy?

  /// Prepares copying from `source`, with the schema of `version`, which may be older, into `target`.
  init(from source: Connection, version: Int, into target: Connection) throws(SQLiteFailure) {
    var offsets: [String: Int64] = [:]
    let tables = [.sessions] + MergedTable.all
    for table in tables where table.hasID {
      offsets[table.name] = try target.firstInteger("SELECT max(id) FROM \(table.name)") ?? 0
    }
    (self.offsets, self.target) = (offsets, target)
    names = version < 9 ? nil : try NameCopy(from: source, into: target)
    for table in tables {
      guard let rows = table.source(version: version) else { continue }
      // Columns that the older version does not have take the table's defaults.
      let known = rows == table.name ? try Self.columns(of: table, in: source) : nil
      let columns = try Self.columns(of: table, in: target).filter { known?.contains($0) ?? true }
      let list = columns.joined(separator: ", ")
      let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      copyings.append(
        Copying(
          source: try source.prepare("SELECT \(list) FROM \(rows) WHERE \(table.belongsToSession)"),
          insert: try target.prepare("INSERT INTO \(table.name) (\(list)) VALUES (\(marks))"),
          offsets: columns.map { column in table.references[column].map { offsets[$0] ?? 0 } }))
    }
  }

  /// Copies a session with all its rows. Call it within a transaction.
  func copy(session: Int64) throws(SQLiteFailure) {
    for copying in copyings {
      copying.source.bind(session, at: 1)
      while try Self.step(copying.source) {
        for (place, offset) in copying.offsets.enumerated() {
          try copying.insert.bind(column: Int32(place), of: copying.source, plus: offset, at: Int32(place) + 1)
        }
        try copying.insert.run()
      }
    }
  }

  /// Copies the names of the addresses of sessions that were copied. Call it within the transaction.
  func copyNames(of sessions: [Int64]) throws(SQLiteFailure) {
    try names?.copy(sessions: sessions, stacksPlus: offsets["stacks"] ?? 0)
  }

  /// Writes what only the session's live region has beside the rows that were copied. Call it within the transaction.
  func bringIn(_ live: LiveFigures, session: Int64) throws(SQLiteFailure) {
    let row = session + (offsets["sessions"] ?? 0)
    let figures = live.shifted(
      loops: offsets["loops"] ?? 0, modes: offsets["modes"] ?? 0, timers: offsets["timers"] ?? 0)
    let length = try target.firstInteger("SELECT window_ns FROM sessions WHERE id = \(row)") ?? 1
    _ = try FigureStatements(target).put(figures, session: row, metricLength: Nanoseconds(max(length, 1)))
    let lastSeen = Int64(clamping: live.lastSeenNs)
    try target.run("UPDATE sessions SET last_seen_ns = max(last_seen_ns, \(lastSeen)) WHERE id = \(row)")
  }

  /// Blames the source store for what cannot be read.
  private static func step(_ source: Statement) throws(SQLiteFailure) -> Bool {
    do {
      return try source.step()
    } catch {
      throw .badContents(error.message)
    }
  }

  private static func columns(of table: MergedTable, in connection: Connection) throws(SQLiteFailure) -> [String] {
    let statement = try connection.prepare("SELECT name FROM pragma_table_info('\(table.name)')")
    var names: [String] = []
    while try statement.step() {
      var row = statement.row
      names.append(try row.text())
    }
    return names
  }
}

extension Statement {
  /// Sets the parameter at `position` to a column of another statement's current row. If `offset` is given, the column
  /// is a row's number, and `offset` is added to it.
  fileprivate func bind(
    column: Int32, of other: Statement, plus offset: Int64?, at position: Int32
  ) throws(SQLiteFailure) {
    guard let offset, sqlite3_column_type(other.handle, column) != SQLITE_NULL else {
      sqlite3_bind_value(handle, position, sqlite3_column_value(other.handle, column))
      return
    }
    let number = sqlite3_column_int64(other.handle, column)
    guard (1...RowNumber.highestMerged).contains(number), RowNumber.isFit(number.addingReportingOverflow(offset).0)
    else {
      throw .badContents("a row's number is out of range: \(number)")
    }
    bind(number + offset, at: position)
  }
}
