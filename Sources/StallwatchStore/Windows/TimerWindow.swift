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

  /// Whether a lateness is more than the program and the machine allow. The store keeps the windows in which one was, or
  /// something was dropped: so a hundred timers that come on time write nothing but their ledgers, and what a ledger has
  /// beyond the windows came on time.
  static func isLate(_ lateness: Nanoseconds, tolerance: Nanoseconds) -> Bool {
    lateness > tolerance.saturatingAdd(TimerFold.leastLateness)
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
