import StallwatchCore

extension StoreReader {
  /// The rows and names of a loop's modes, in the order in which the modes were seen.
  package func modeNames(loop: Int64) throws -> [(Int64, String)] {
    try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare("SELECT id, name FROM modes WHERE loop = ?1 ORDER BY number")
      statement.bind(loop, at: 1)
      var names: [(Int64, String)] = []
      while try statement.step() {
        var row = statement.row
        let (mode, name): (Int64, String) = (try row.number(), try row.text())
        if filter.modes.isEmpty || filter.modes.contains(name) { names.append((mode, name)) }
      }
      return names
    }
  }

  /// Calls `body` for every window of time of the session in row `session`, in order of their start; those that are in
  /// the live region alone come last. Holds one at a time. Windows of a store of a version below 5 have no cells. Also
  /// throws what `body` throws.
  ///
  /// - Parameter withCells: Whether to read the cells, too.
  package func forEachWindow(
    session: Int64, withCells: Bool = true, _ body: (StoredWindow) throws -> Void
  ) throws {
    let (range, modes) = (range(of: session), try admittedModes(session: session))
    func take(_ window: StoredWindow) throws {
      guard modes?.contains(window.mode) ?? true else { return }
      guard let range else { return try body(window) }
      for part in window.parts(in: range) { try body(part) }
    }
    let statement = try access.read { [access] connection throws(SQLiteFailure) in
      try connection.prepare(Self.windows(withCells: withCells || range != nil, version: access.version))
    }
    statement.bind(session, at: 1)
    defer { statement.reset() }
    while let window = try reportingFailures(
      of: access.path,
      { () throws(SQLiteFailure) -> StoredWindow? in
        guard try statement.step() else { return nil }
        var row = statement.row
        return try StoredWindow(&row)
      })
    {
      try take(window)
    }
    try access.checkUndisturbed()
    for mode in live[session]?.modes ?? [] {
      for window in mode.windows { try take(StoredWindow(window, loop: mode.loop, mode: mode.row)) }
    }
  }

  /// The query for the windows of the session ?1 that pass a further condition.
  static func windows(withCells: Bool, version: Int, condition: String = "") -> String {
    let cells = withCells ? "cell_ns, cells" : "NULL, NULL"
    let source =
      version < 5 ? "(\(OlderWindows.timeWindows(ofSession: "?1"))) AS time_windows" : "time_windows"
    return """
      SELECT modes.loop, mode, time_windows.started_ns, length_ns, busy_ns, waiting_ns, time_windows.outside_ns,
        iterations, longest_ns, \(cells)
      FROM \(source) JOIN modes ON modes.id = mode
      WHERE time_windows.session = ?1 \(condition) ORDER BY time_windows.started_ns
      """
  }
}

extension StoredWindow {
  /// Reads loop, mode, start, length, busy, waiting, outside, iterations, longest, the length of a cell and the cells.
  init(_ row: inout Row) throws(SQLiteFailure) {
    self.init(
      loop: try row.rowNumber(), mode: try row.rowNumber(), startedNs: try row.number(), length: try row.number(),
      busy: try row.number(), waiting: try row.number(), outside: try row.number(), iterations: try row.number(),
      longest: try row.number())
    let cellLength = try row.numberIfAny(Nanoseconds.self)
    let length = length
    let cells = try row.bytesIfAny { bytes throws(SQLiteFailure) -> [WindowCell] in
      guard let cellLength, cellLength > 0, length.isMultiple(of: cellLength),
        let cells = CellEncoding.decode(bytes, count: Int(clamping: length / cellLength))
      else { throw .badContents("the cells of a window do not fit its length") }
      return cells
    }
    self.cells = cells ?? []
  }
}
