import StallwatchCore

/// How many stalls of one sort a loop had.
public struct StallTotal: Sendable {
  /// The loop's row.
  public var loop: Int64
  /// Span or busy run.
  public var kind: StallKind
  /// Ended, cancelled, fatal or still going on.
  public var state: StallState
  /// How bad.
  public var severity: Severity
  /// How many.
  public var count: Int
  /// Their summed duration.
  public var total: Nanoseconds

  /// A number of stalls.
  public init(loop: Int64, kind: StallKind, state: StallState, severity: Severity, count: Int, total: Nanoseconds) {
    self.loop = loop
    self.kind = kind
    self.state = state
    self.severity = severity
    self.count = count
    self.total = total
  }
}
