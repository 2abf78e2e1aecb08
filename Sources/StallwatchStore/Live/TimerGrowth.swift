import CSQLite
import StallwatchCore

/// Finds how timers' ledgers grew since they came into the store, and what becomes of their histograms: the store alone
/// has what they were.
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

  /// What is to be written of a timer.
  struct Growth {
    /// How its ledger grew; nil where its fires came on time.
    var window: TimerWindow?
    /// How late all its fires were.
    var lateness: StoredMetric
    /// How many fires the row had whose histogram somebody broke; 0 where it is whole.
    var lost: UInt64 = 0
  }

  private let read: Statement

  init(_ connection: Connection) throws(SQLiteFailure) {
    read = try connection.prepare(
      """
      SELECT fired, dropped, tolerance_ns, lateness_count, lateness_total_ns, lateness_max_ns, lateness_histogram
      FROM timers WHERE id = ?1
      """)
  }

  /// The growth of a timer beyond its row; nil where the store does not keep the timer.
  func of(_ timer: LiveFigures.Timer, in time: Time) throws(SQLiteFailure) -> Growth? {
    read.bind(timer.row, at: 1)
    defer { read.reset() }
    guard try read.step() else { return nil }
    var row = read.row
    let figures = timer.figures
    var window = TimerWindow(startedNs: time.startedNs, length: time.length)
    window.fired = figures.fired.since(try row.number())
    window.dropped = figures.dropped.since(try row.number())
    let tolerance: Nanoseconds = try row.number()
    var (lateness, lost) = (StoredMetric.empty, UInt64(0))
    do {
      try lateness.addIfAny(&row)
    } catch {
      guard error.primaryCode == SQLITE_CORRUPT else { throw error }
      // Begun anew, and counted: it must not keep all other figures out of the store.
      (lateness, lost) = (.empty, max(lateness.count, 1))
    }
    if figures.addsFires(to: lateness.count) {
      lateness.add(figures.lateness)
      window.lateness.add(figures.lateness)
    }
    lateness.maximum = max(lateness.maximum, figures.worstLateness)
    let isKept = window.dropped > 0 || TimerWindow.isLate(window.lateness.maximum, tolerance: tolerance)
    return Growth(window: isKept ? window : nil, lateness: lateness, lost: lost)
  }
}
