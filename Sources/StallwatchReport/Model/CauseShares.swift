import StallwatchCore

/// Shares of the time for which a thread was watched, each 0…1.
package struct CauseShares {
  /// The share on a processor.
  package var running: Double
  /// The share in the kernel, not runnable.
  package var blocked: Double
  /// The share runnable without a processor.
  package var starved: Double
  /// The watched time, in nanoseconds.
  package var watched: Nanoseconds

  /// The shares of a cause; nil where the watched time is 0.
  package init?(_ cause: StallCause) {
    watched = [cause.running, cause.blocked, cause.starved].saturatingSum()
    guard watched > 0 else { return nil }
    let whole = Double(watched)
    running = Double(cause.running) / whole
    blocked = Double(cause.blocked) / whole
    starved = Double(cause.starved) / whole
  }

  /// The activity with the largest share.
  package var main: ThreadActivity {
    if running >= blocked, running >= starved { return .running }
    return blocked >= starved ? .blocked : .starved
  }

  /// The share of `activity`.
  package subscript(activity: ThreadActivity) -> Double {
    switch activity {
    case .running: running
    case .blocked: blocked
    case .starved: starved
    }
  }
}
