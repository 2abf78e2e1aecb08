import StallwatchCore

/// How many stalls of one kind, state and severity a loop had.
package struct StallTotal: Sendable {
  /// The loop's row in the store.
  package var loop: Int64
  /// Whether they are spans, busy runs or aways.
  package var kind: StallKind
  /// Ended, cancelled, fatal or still going on.
  package var state: StallState
  /// Their severity.
  package var severity: Severity
  /// How many there were.
  package var count: Int
  /// The sum of their durations, in nanoseconds.
  package var total: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(loop: Int64, kind: StallKind, state: StallState, severity: Severity, count: Int, total: Nanoseconds) {
    self.loop = loop
    self.kind = kind
    self.state = state
    self.severity = severity
    self.count = count
    self.total = total
  }
}
