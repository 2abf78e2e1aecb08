import StallwatchCore

/// How a timer's ledger grew in one window of time.
package struct TimerWindow: Sendable, Equatable {
  /// The window's start.
  package internal(set) var startedNs: Nanoseconds
  package internal(set) var length: Nanoseconds
  /// Due times that a callout served, and those that none served.
  package internal(set) var fired: UInt64 = 0
  package internal(set) var dropped: UInt64 = 0
  /// How late its callouts began. The maximum is exact in the window of the timer's worst, elsewhere within 0.8 %.
  package internal(set) var lateness = StoredMetric.empty

  init(startedNs: Nanoseconds, length: Nanoseconds) { (self.startedNs, self.length) = (startedNs, length) }

  /// Whether the store keeps it: something was dropped, or later than the program and the machine allow. A hundred timers
  /// that come on time write nothing but their ledgers; what a ledger has beyond the windows came on time.
  func isWorthKeeping(tolerance: Nanoseconds) -> Bool {
    dropped > 0 || lateness.maximum > tolerance.saturatingAdd(TimerFold.leastLateness)
  }

  /// Adds another window's sums, so that this one covers both.
  mutating func add(_ other: TimerWindow) {
    let end = max(startedNs.saturatingAdd(length), other.startedNs.saturatingAdd(other.length))
    startedNs = min(startedNs, other.startedNs)
    length = end - startedNs
    fired = fired.saturatingAdd(other.fired)
    dropped = dropped.saturatingAdd(other.dropped)
    lateness.add(other.lateness)
  }
}

/// A timer's windows that are not in the store yet.
struct TimerSeries: Sendable {
  /// Oldest first; growth goes into the last.
  private(set) var windows: [TimerWindow] = []

  /// Adds growth to the window in which it was seen, or to a later one if there is one.
  ///
  /// - Parameter previousMaximum: The timer's worst lateness before.
  mutating func add(
    _ delta: TimerDelta, previousMaximum: Nanoseconds, on grid: WindowSeries.Grid, length: Nanoseconds
  ) {
    let start = grid.start(of: delta.atNs, length: length)
    if windows.last.map({ start > $0.startedNs }) ?? true {
      windows.append(TimerWindow(startedNs: start, length: length))
    }
    let last = windows.count - 1
    windows[last].fired = windows[last].fired.saturatingAdd(delta.fired)
    windows[last].dropped = windows[last].dropped.saturatingAdd(delta.dropped)
    if let growth = delta.lateness { windows[last].lateness.add(growth, previousMaximum: previousMaximum) }
  }

  /// Removes all windows, once they are in the store.
  mutating func removeAll() { windows = [] }
}
