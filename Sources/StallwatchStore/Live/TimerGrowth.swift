import StallwatchCore

/// Finds how timers' ledgers grew since they came into the store. The store has what they were, so that neither the
/// writer nor the live region keeps their histograms twice.
struct TimerGrowth {
  /// The time since the last closing, in whole windows.
  struct Time {
    let startedNs: Nanoseconds
    let length: Nanoseconds

    /// The windows of this length from `start` on that are over at `lastSeen`; the first in any case.
    init(from start: Nanoseconds, until lastSeen: Nanoseconds, windowLength: Nanoseconds) {
      startedNs = start
      length = max(lastSeen.since(start) / windowLength, 1).saturatingMultiply(by: windowLength)
    }
  }

  private let read: Statement

  init(_ connection: Connection) throws(SQLiteFailure) {
    read = try connection.prepare(
      """
      SELECT fired, dropped, tolerance_ns, lateness_count, lateness_total_ns, lateness_max_ns, lateness_histogram
      FROM timers WHERE id = ?1
      """)
  }

  /// The growth of a timer beyond its row; nil where the store does not keep it.
  func window(of timer: LiveFigures.Timer, in time: Time) throws(SQLiteFailure) -> TimerWindow? {
    read.bind(timer.row, at: 1)
    defer { read.reset() }
    guard try read.step() else { return nil }
    var row = read.row
    let figures = timer.figures
    var window = TimerWindow(startedNs: time.startedNs, length: time.length)
    window.fired = figures.fired.since(try row.number())
    window.dropped = figures.dropped.since(try row.number())
    let tolerance: Nanoseconds = try row.number()
    let (count, total): (UInt64, Nanoseconds) = (try row.number(), try row.number())
    let worst: Nanoseconds = try row.number()
    // Without a drop or a new worst a look at the histogram decides: only if the worst was ever later than allowed.
    guard window.dropped > 0 || TimerWindow.isLate(figures.lateness.maximum, tolerance: tolerance) else { return nil }
    var known = DurationHistogram()
    _ = try row.bytesIfAny { bytes throws(SQLiteFailure) in try HistogramEncoding.add(bytes, to: &known) }
    let buckets = figures.lateness.buckets.compactMap { bucket in
      let growth = bucket.count.since(known.count(at: Int(bucket.index)))
      return growth > 0 ? (index: Int(bucket.index), count: UInt32(clamping: growth)) : nil
    }
    let growth = MetricDelta(
      metric: .span, count: figures.lateness.count.since(count), total: figures.lateness.total.since(total),
      maximum: figures.lateness.maximum, buckets: buckets)
    window.lateness.add(growth, previousMaximum: worst)
    return window.dropped > 0 || TimerWindow.isLate(window.lateness.maximum, tolerance: tolerance) ? window : nil
  }
}
