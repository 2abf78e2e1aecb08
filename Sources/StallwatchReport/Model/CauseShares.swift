import StallwatchCore

/// Shares of the time that a thread was watched.
struct CauseShares {
  /// On a processor.
  var running: Double
  /// In the kernel, not runnable.
  var blocked: Double
  /// Runnable, without a processor.
  var starved: Double
  /// The watched time.
  var watched: Nanoseconds

  /// The shares of a cause; nil where nothing was watched.
  init?(_ cause: StallCause) {
    watched = [cause.running, cause.blocked, cause.starved].saturatingSum()
    guard watched > 0 else { return nil }
    let whole = Double(watched)
    running = Double(cause.running) / whole
    blocked = Double(cause.blocked) / whole
    starved = Double(cause.starved) / whole
  }

  /// What took the most time.
  var main: ThreadActivity {
    if running >= blocked, running >= starved { return .running }
    return blocked >= starved ? .blocked : .starved
  }

  /// The share of `activity`.
  subscript(activity: ThreadActivity) -> Double {
    switch activity {
    case .running: running
    case .blocked: blocked
    case .starved: starved
    }
  }
}
