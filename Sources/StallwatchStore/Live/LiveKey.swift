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
    /// A part of the durations of a metric of a mode, in one window.
    case metric = 4
    case timer = 5
    /// A part of a timer's lateness.
    case timerLateness = 6
    /// A window of ticks of the drift probe.
    case ticks = 7
  }

  /// Whose figures these are; they go when it goes.
  enum Owner: Hashable, Sendable {
    case session
    case loop(Int64)
    case mode(Int64)
    case timer(Int64)
  }

  var kind: Kind
  /// The row of the loop, mode or timer; 0 for the session.
  var row: Int64 = 0
  /// Which of several: a window's place among the mode's, or the start of a window of metrics or ticks.
  var number: UInt64 = 0
  /// The raw value of a metric; else 0.
  var metric: UInt8 = 0
  /// Which part of a histogram.
  var part: UInt8 = 0

  var owner: Owner {
    switch kind {
    case .session, .watchdogLateness: .session
    case .loop, .ticks: .loop(row)
    case .window, .metric: .mode(row)
    case .timer, .timerLateness: .timer(row)
    }
  }

  func encode(into writer: inout LiveWriter) {
    writer.put(UInt64(kind.rawValue))
    writer.put(row)
    writer.put(number, UInt64(metric), UInt64(part))
  }

  init(_ kind: Kind, row: Int64 = 0, number: UInt64 = 0, metric: UInt8 = 0, part: UInt8 = 0) {
    (self.kind, self.row, self.number, self.metric, self.part) = (kind, row, number, metric, part)
  }

  init(_ reader: inout LiveReader) throws(LiveReader.Unfit) {
    guard let kind = UInt8(exactly: try reader.number()).flatMap(Kind.init) else { throw LiveReader.Unfit() }
    (self.kind, row, number) = (kind, try reader.row(), try reader.time())
    guard let metric = UInt8(exactly: try reader.number()), let part = UInt8(exactly: try reader.number()) else {
      throw LiveReader.Unfit()
    }
    (self.metric, self.part) = (metric, part)
  }
}
