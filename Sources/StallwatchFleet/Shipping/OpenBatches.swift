import StallwatchFormats
import StallwatchStore

/// Rows that are not in the spool yet, by table.
struct OpenBatches {
  private struct Table {
    let name: String
    let columns: [String]
    let priority: SpooledBatch.Priority
    var encoder = RowEncoder()
    var rows: UInt64 = 0
    var sessions: [UInt64: UInt64] = [:]
  }

  private let configuration: ShippingConfiguration
  private var tables: [ObjectIdentifier: Table] = [:]
  private var bytes = 0
  /// How many times all rows were dropped.
  private var emptied = 0
  /// Whether it is time to put them into the spool.
  private(set) var isDue = false

  init(_ configuration: ShippingConfiguration) { self.configuration = configuration }

  /// Whether there is no row.
  var isEmpty: Bool { tables.isEmpty }

  /// Adds a row of a session.
  mutating func add(_ row: some FleetRow, session: UInt64) {
    let type = ObjectIdentifier(type(of: row))
    var table = tables.removeValue(forKey: type) ?? Self.table(of: row)
    let before = table.encoder.bytes.count
    row.encode(into: &table.encoder)
    table.rows += 1
    table.sessions[session, default: 0] += 1
    let after = table.encoder.bytes.count
    bytes += after - before
    if after >= configuration.batchBytes || table.rows >= configuration.batchRows || bytes >= configuration.openBytes {
      isDue = true
    }
    tables[type] = table
  }

  /// The rows, packed into one batch for each table. Figures come before stalls, and stalls before stacks.
  func packed(made: UInt64) -> [SpooledBatch] {
    tables.values.sorted { ($0.priority.rawValue, $0.name) < ($1.priority.rawValue, $1.name) }.map {
      SpooledBatch(
        table: $0.name, columns: $0.columns, priority: $0.priority, rows: $0.rows,
        body: Gzip.packed($0.encoder.bytes, effort: .least), made: made, sessions: $0.sessions)
    }
  }

  /// Drops all rows.
  mutating func removeAll() {
    tables = [:]
    (bytes, isDue) = (0, false)
    emptied += 1
  }

  /// How many rows there were at a moment.
  struct Mark {
    fileprivate var tables: [ObjectIdentifier: (bytes: Int, rows: UInt64, sessions: [UInt64: UInt64])]
    fileprivate var bytes: Int
    fileprivate var emptied: Int
  }

  /// How many rows there are now, for ``comeBack(to:)``.
  var mark: Mark {
    Mark(
      tables: tables.mapValues { ($0.encoder.bytes.count, $0.rows, $0.sessions) }, bytes: bytes, emptied: emptied)
  }

  /// Drops the rows that were added since the mark.
  mutating func comeBack(to mark: Mark) {
    guard mark.emptied == emptied else { return removeAll() }
    for (type, now) in tables {
      guard let then = mark.tables[type] else {
        tables[type] = nil
        continue
      }
      var table = now
      tables[type] = nil
      table.encoder.cut(to: then.bytes)
      (table.rows, table.sessions) = (then.rows, then.sessions)
      tables[type] = table
    }
    (bytes, isDue) = (mark.bytes, false)
  }

  private static func table<Row: FleetRow>(of row: Row) -> Table {
    Table(name: Row.table, columns: Row.columns, priority: priority(of: Row.self))
  }

  private static func priority(of type: any FleetRow.Type) -> SpooledBatch.Priority {
    if type == StallRow.self { return .stalls }
    return type == StackRow.self || type == StackTimesRow.self ? .stacks : .figures
  }
}
