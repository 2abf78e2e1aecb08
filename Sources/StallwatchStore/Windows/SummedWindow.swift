import StallwatchCore

/// A window of one loop, mode or timer, in a table of its own. To grow coarser, windows add up.
protocol SummedWindow: Sendable {
  static var table: String { get }
  /// The column with the row of the loop, mode or timer.
  static var owner: String { get }
  /// The columns behind session, start, owner, number and length.
  static var columns: [String] { get }
  /// That of ``columns`` which tells windows of one owner apart that do not add up; nil: all of them do.
  static var kind: String? { get }

  var startedNs: Nanoseconds { get }
  var length: Nanoseconds { get }
  /// What ``kind`` holds.
  var kindName: String? { get }

  init(startedNs: Nanoseconds, length: Nanoseconds)
  /// Reads ``columns``.
  mutating func read(_ row: inout Row) throws(SQLiteFailure)
  /// Binds ``columns``, from `position` on.
  func bind(to statement: Statement, at position: Int32)
  /// Adds another window's sums, so that this one covers both and fits into the level.
  mutating func add(_ other: Self, to level: Ladder.Level)
}

extension SummedWindow {
  static var kind: String? { nil }
  var kindName: String? { nil }
}

/// Puts windows of a kind into their table.
struct PutWindow<Window: SummedWindow> {
  private let statement: Statement

  init(_ connection: Connection) throws(SQLiteFailure) {
    let columns = ["session", "started_ns", Window.owner, "number", "length_ns"] + Window.columns
    let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    statement = try connection.prepare(
      "INSERT INTO \(Window.table) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
  }

  func put(_ window: Window, of owner: Int64, session: Int64, number: Int64) throws(SQLiteFailure) {
    statement.bind(session, at: 1)
    statement.bind(window.startedNs, at: 2)
    statement.bind(owner, at: 3)
    statement.bind(number, at: 4)
    statement.bind(window.length, at: 5)
    window.bind(to: statement, at: 6)
    try statement.run()
  }
}

extension TickWindow: SummedWindow {
  static let table = "tick_windows"
  static let owner = "loop"
  static let columns = [
    "ticks", "first_number", "first_due_ns", "last_number", "last_due_ns", "run_loop_count", "run_loop_total_ns",
    "run_loop_max_ns", "run_loop_histogram", "gcd_count", "gcd_total_ns", "gcd_max_ns", "gcd_histogram", "drift_count",
    "drift_total_ns", "drift_max_ns", "drift_histogram", "drift_below_histogram", "in_other_modes_ns", "late",
    "late_ns", "machine_ns", "gcd_late_ns", "left_out", "left_out_ns", "steps", "steps_squared", "steps_lateness",
    "cell_ns", "cells",
  ]

  mutating func read(_ row: inout Row) throws(SQLiteFailure) {
    ticks = try row.number()
    first = Place(number: try row.number(), dueNs: try row.number())
    last = Place(number: try row.number(), dueNs: try row.number())
    try runLoop.addIfAny(&row)
    try gcd.addIfAny(&row)
    _ = try row.number(UInt64.self)
    drift.total = try row.number()
    drift.maximum = try row.numberIfAny()
    _ = try row.addHistogram(to: &drift.above)
    _ = try row.addHistogram(to: &drift.below)
    inOtherModes = try row.number()
    (late.count, late.lateness, late.machine) = (try row.number(), try row.number(), try row.number())
    gcdLate = try row.number()
    (leftOut.count, leftOut.rest) = (try row.number(), try row.number())
    (steps.total, steps.squares, steps.lateness) = (try row.number(), try row.number(), try row.number())
    cellLength = try row.number()
    cells =
      try row.bytesIfAny { bytes throws(SQLiteFailure) -> [TickCell] in
        guard let cells = TickCellEncoding.decode(bytes) else {
          throw .badContents("the cells of a window of ticks are of the wrong length")
        }
        return cells
      } ?? []
    guard cellLength > 0 else { throw .badContents("the cells of a window of ticks have no length") }
    guard drift.maximum != nil || drift.count == 0 else { throw .badContents("a window's greatest drift is missing") }
  }

  func bind(to statement: Statement, at position: Int32) {
    var next = Binding(statement, at: position)
    next.bind(ticks, first.number, first.dueNs, last.number, last.dueNs)
    next.bind(runLoop)
    next.bind(gcd)
    next.bind(drift.count, drift.total)
    next.bind(drift.maximum)
    next.bind(drift.above)
    next.bind(drift.below)
    next.bind(inOtherModes, late.count, late.lateness, late.machine, gcdLate, leftOut.count, leftOut.rest)
    next.bind(steps.total, steps.squares, steps.lateness, cellLength)
    next.bind(cells.isEmpty ? nil : TickCellEncoding.encode(cells))
  }

  mutating func add(_ other: TickWindow, to level: Ladder.Level) {
    add(other, cellLength: Self.cellLength(ofWindow: level.windowLength))
  }
}

extension TimerWindow: SummedWindow {
  static let table = "timer_windows"
  static let owner = "timer"
  static let columns = ["fired", "dropped", "lateness_count", "lateness_total_ns", "lateness_max_ns", "histogram"]

  mutating func read(_ row: inout Row) throws(SQLiteFailure) {
    (fired, dropped) = (try row.number(), try row.number())
    try lateness.addIfAny(&row)
  }

  func bind(to statement: Statement, at position: Int32) {
    var next = Binding(statement, at: position)
    next.bind(fired, dropped)
    next.bind(lateness)
  }

  mutating func add(_ other: TimerWindow, to level: Ladder.Level) { add(other) }
}

extension MetricWindow: SummedWindow {
  static let table = "metric_windows"
  static let owner = "mode"
  static let columns = ["metric", "count", "total_ns", "max_ns", "histogram"]
  static let kind: String? = "metric"

  var kindName: String? { metric }

  mutating func read(_ row: inout Row) throws(SQLiteFailure) {
    metric = try row.text()
    try samples.add(&row)
  }

  func bind(to statement: Statement, at position: Int32) {
    statement.bind(metric, at: position)
    var next = Binding(statement, at: position + 1)
    next.bind(samples)
  }

  mutating func add(_ other: MetricWindow, to level: Ladder.Level) { add(other) }
}

/// Binds one parameter after the other.
private struct Binding {
  private let statement: Statement
  private var position: Int32

  init(_ statement: Statement, at position: Int32) { (self.statement, self.position) = (statement, position) }

  mutating func bind(_ numbers: UInt64...) {
    for number in numbers {
      statement.bind(number, at: position)
      position += 1
    }
  }

  mutating func bind(_ number: Int64?) {
    statement.bind(number, at: position)
    position += 1
  }

  mutating func bind(_ bytes: [UInt8]?) {
    statement.bind(bytes, at: position)
    position += 1
  }

  /// NULL for one without counts.
  mutating func bind(_ histogram: DurationHistogram) {
    bind(histogram.buckets.isEmpty ? nil : HistogramEncoding.encode(histogram))
  }

  mutating func bind(_ metric: StoredMetric) {
    bind(metric.count, metric.total, metric.maximum)
    bind(metric.count > 0 ? HistogramEncoding.encode(metric.histogram) : nil)
  }
}

extension Row {
  /// Adds the histogram in the next column. Returns false for NULL.
  fileprivate mutating func addHistogram(to histogram: inout DurationHistogram) throws(SQLiteFailure) -> Bool {
    let added: Void? = try bytesIfAny { bytes throws(SQLiteFailure) in
      try HistogramEncoding.add(bytes, to: &histogram)
    }
    return added != nil
  }
}

extension StoredMetric {
  /// Adds the next four columns: count, sum, maximum and histogram, which is NULL without samples.
  mutating func addIfAny(_ row: inout Row) throws(SQLiteFailure) {
    count = count.saturatingAdd(try row.number())
    total = total.saturatingAdd(try row.number())
    maximum = max(maximum, try row.number())
    guard try row.addHistogram(to: &histogram) || count == 0 else { throw .badContents("a histogram is missing") }
  }
}
