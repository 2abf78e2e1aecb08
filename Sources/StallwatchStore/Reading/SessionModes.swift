import StallwatchCore

/// The modes of all loops of one session, with the sums of their windows: those lie by time, so that one pass over them
/// serves all loops.
struct SessionModes {
  let session: Int64
  private var byLoop: [Int64: [StoredMode]] = [:]
  /// The part of the session that is read, on its monotonic clock; nil for all of it.
  private let range: Range<Nanoseconds>?
  private var outsideByLoop: [Int64: Nanoseconds] = [:]
  /// Where each mode is.
  private var places: [Int64: (loop: Int64, place: Int)] = [:]

  /// Reads a session of a store of version 5 or later, and adds what only its live region has.
  init(
    _ session: Int64, live: LiveFigures?, range: Range<Nanoseconds>? = nil, in connection: Connection, version: Int
  ) throws(SQLiteFailure) {
    (self.session, self.range) = (session, range)
    try readModes(connection, version: version)
    try addTimeWindows(connection)
    try addMetricWindows(connection)
    for mode in live?.modes ?? [] { add(mode) }
  }

  /// The modes of a loop in the order of their numbers.
  func modes(of loop: Int64) -> [StoredMode] { byLoop[loop] ?? [] }

  /// The time that a loop was outside any run in the part of the session; known only where it is cut by time.
  func outside(loop: Int64) -> Nanoseconds { outsideByLoop[loop] ?? 0 }

  private mutating func readModes(_ connection: Connection, version: Int) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      """
      SELECT loops.id AS loop, \(StoredLoop.kindColumn(version: version)), modes.number, modes.id, modes.name, attached_ns
      FROM loops JOIN modes ON modes.loop = loops.id
      WHERE session = ?1 ORDER BY loops.number, modes.number
      """)
    statement.bind(session, at: 1)
    var orders: [Int64: RowOrder<Int64>] = [:]
    while try statement.step() {
      var row = statement.row
      let (loop, kind) = (try row.rowNumber(), try StoredLoop.kind(&row))
      try orders[loop, default: RowOrder("modes")].take(try row.number())
      var mode = StoredMode(
        id: try row.rowNumber(), loop: loop, laneKind: kind, name: try row.text(), attachedNs: try row.number(),
        entries: 0, iterations: 0, starved: 0, metrics: [:])
      mode.isCutByTime = range != nil
      places[mode.id] = (loop, byLoop[loop]?.count ?? 0)
      byLoop[loop, default: []].append(mode)
    }
  }

  private mutating func addTimeWindows(_ connection: Connection) throws(SQLiteFailure) {
    if let range { return try addTimeWindows(in: range, connection) }
    let statement = try connection.prepare(
      "SELECT mode, entries, iterations, starved_ns, busy_ns, waiting_ns FROM time_windows WHERE session = ?1")
    statement.bind(session, at: 1)
    while try statement.step() {
      var row = statement.row
      let mode: Int64 = try row.number()
      let (entries, iterations): (UInt64, UInt64) = (try row.number(), try row.number())
      let starved: Nanoseconds = try row.number()
      let (busy, waiting): (Nanoseconds, Nanoseconds) = (try row.number(), try row.number())
      change(mode) {
        $0.add(entries: entries, iterations: iterations, starved: starved)
        $0.add(busy: busy, waiting: waiting)
      }
    }
  }

  private mutating func addTimeWindows(
    in range: Range<Nanoseconds>, _ connection: Connection
  ) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      """
      SELECT loop, mode, time_windows.started_ns, length_ns, busy_ns, waiting_ns, outside_ns, iterations, longest_ns,
        cell_ns, cells, entries, starved_ns
      FROM time_windows JOIN modes ON modes.id = mode WHERE session = ?1 AND \(Self.overlap(range, "time_windows"))
      """)
    statement.bind(session, at: 1)
    while try statement.step() {
      var row = statement.row
      let window = try StoredWindow(&row)
      add(window, entries: try row.number(), starved: try row.number(), in: range)
    }
  }

  /// Adds what of a window of time lies in `range`. Runs entered, and starvation, are those of the whole window.
  private mutating func add(
    _ window: StoredWindow, entries: UInt64, starved: Nanoseconds, in range: Range<Nanoseconds>
  ) {
    let parts = window.parts(in: range)
    guard !parts.isEmpty else { return }
    outsideByLoop[window.loop] = parts.map(\.outside).reduce(outside(loop: window.loop)) { $0.saturatingAdd($1) }
    change(window.mode) { mode in
      mode.add(entries: entries, iterations: 0, starved: starved)
      for part in parts {
        mode.add(entries: 0, iterations: part.iterations, starved: 0)
        mode.add(busy: part.busy, waiting: part.waiting)
      }
    }
  }

  /// The condition on a window in the table, in SQL, that it touches `range`.
  private static func overlap(_ range: Range<Nanoseconds>, _ table: String) -> String {
    let (from, to) = (Int64(clamping: range.lowerBound), Int64(clamping: range.upperBound))
    return "\(table).started_ns < \(to) AND \(table).started_ns + length_ns > \(from)"
  }

  private mutating func addMetricWindows(_ connection: Connection) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      "SELECT mode, metric, count, total_ns, max_ns, histogram FROM metric_windows WHERE session = ?1"
        + (range.map { " AND \(Self.overlap($0, "metric_windows"))" } ?? ""))
    statement.bind(session, at: 1)
    while try statement.step() {
      var row = statement.row
      let mode: Int64 = try row.number()
      let metric = try row.word { name in Metric.allCases.first { $0.name == name } }
      guard let (loop, place) = places[mode] else { continue }
      try byLoop[loop]?[place].metrics[metric, default: .empty].add(&row)
    }
  }

  private mutating func add(_ mode: LiveFigures.Mode) {
    if let range {
      for window in mode.windows {
        let stored = StoredWindow(window, loop: mode.loop, mode: mode.row)
        add(stored, entries: window.entries, starved: window.starved, in: range)
      }
    }
    change(mode.row) { [range] stored in
      for window in mode.windows where range == nil {
        stored.add(entries: window.entries, iterations: window.iterations, starved: window.starved)
        stored.add(busy: window.busy, waiting: window.waiting)
      }
      for window in mode.metrics where range.map({ window.touches($0) }) ?? true {
        for metric in Metric.allCases {
          guard let samples = window.metrics[Int(metric.rawValue)] else { continue }
          stored.metrics[metric, default: .empty].add(samples)
        }
      }
    }
  }

  private mutating func change(_ mode: Int64, _ body: (inout StoredMode) -> Void) {
    guard let (loop, place) = places[mode], var modes = byLoop.removeValue(forKey: loop) else { return }
    body(&modes[place])
    byLoop[loop] = modes
  }
}

extension StoredMode {
  fileprivate mutating func add(entries: UInt64, iterations: UInt64, starved: Nanoseconds) {
    self.entries = self.entries.saturatingAdd(entries)
    self.iterations = self.iterations.saturatingAdd(iterations)
    self.starved = self.starved.saturatingAdd(starved)
  }

  fileprivate mutating func add(busy: Nanoseconds, waiting: Nanoseconds) {
    windowsBusy = windowsBusy.saturatingAdd(busy)
    windowsWaiting = windowsWaiting.saturatingAdd(waiting)
  }
}

/// The last session whose modes were read: callers ask for its loops one after the other. For one thread at a time.
final class KnownModes {
  private var known: SessionModes?

  /// The modes of the session in row `session`.
  func modes(
    session: Int64, _ read: () throws(SQLiteFailure) -> SessionModes
  ) throws(SQLiteFailure) -> SessionModes {
    if let known, known.session == session { return known }
    let modes = try read()
    known = modes
    return modes
  }
}
