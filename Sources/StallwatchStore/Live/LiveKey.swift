import StallwatchCore

/// What a piece of a live region holds: the smallest part of figures that is written by itself.
struct LiveKey: Hashable, Sendable {
  /// The kinds of pieces. Their numbers lie in files.
  enum Kind: UInt8 {
    /// When the monitor was seen last, and what it cost.
    case session = 0
    /// A part of the watchdog's lateness.
    case watchdogLateness = 1
    case loop = 2
    /// A window of time of a mode.
    case window = 3
    /// The durations of all metrics of a mode, in one window.
    case metrics = 4
    case timer = 5
    /// A part of a timer's lateness.
    case timerLateness = 6
    /// A window of ticks of the drift probe.
    case ticks = 7
    /// A part of the durations of one metric of a mode, in a window that has too many for one piece. It counts, and not
    /// what stands of this metric in a piece of all.
    case metric = 8
  }

  /// Whose figures these are; they go when it goes.
  enum Owner: Hashable, Sendable {
    case session
    case loop(Int64)
    case mode(Int64)
    case timer(Int64)
  }

  // The small fields lie together, so that keys take a quarter less memory.
  /// The row of the loop, mode or timer; 0 for the session.
  var row: Int64 = 0
  /// Which of several: a window's place among the mode's, or the start of a window of metrics or ticks.
  var number: UInt64 = 0
  var kind: Kind
  /// The raw value of a metric; else 0.
  var metric: UInt8 = 0
  /// Which part of a histogram.
  var part: UInt8 = 0

  var owner: Owner {
    switch kind {
    case .session, .watchdogLateness: .session
    case .loop, .ticks: .loop(row)
    case .window, .metrics, .metric: .mode(row)
    case .timer, .timerLateness: .timer(row)
    }
  }

  /// Writes it, with moments counted from the session's start.
  func encode(into writer: inout LiveWriter, from origin: Nanoseconds) {
    writer.append(kind.rawValue)
    if kind.hasRow { writer.put(row) }
    if kind == .window { writer.put(number) }
    if kind.hasMoment { writer.putRound(number.since(origin)) }
    if kind == .metric { writer.append(metric) }
    if kind.hasParts { writer.append(part) }
  }

  init(_ kind: Kind, row: Int64 = 0, number: UInt64 = 0, metric: UInt8 = 0, part: UInt8 = 0) {
    (self.kind, self.row, self.number, self.metric, self.part) = (kind, row, number, metric, part)
  }

  init(_ reader: inout LiveReader, from origin: Nanoseconds) throws(LiveReader.Unfit) {
    guard let kind = Kind(rawValue: try reader.byte()) else { throw LiveReader.Unfit() }
    self.kind = kind
    if kind.hasRow { row = try reader.row() }
    if kind == .window { number = try reader.time() }
    if kind.hasMoment { number = reader.moment(try reader.roundTime(), after: origin) }
    if kind == .metric { metric = try reader.byte() }
    if kind.hasParts { part = try reader.byte() }
  }
}

extension LiveKey.Kind {
  fileprivate var hasRow: Bool { self != .session && self != .watchdogLateness }
  fileprivate var hasMoment: Bool { self == .metrics || self == .metric || self == .ticks }
  fileprivate var hasParts: Bool { self == .watchdogLateness || self == .metric || self == .timerLateness }
}
