import StallwatchCore

/// The time of one test, watched by the process's monitor.
struct TestWatch {
  private let monitor: TestMonitor
  private let limit: Nanoseconds
  private let start: Nanoseconds

  /// How long a store may take to have what happened, and the pause between two looks.
  private static let patience = Duration.seconds(10)
  static let pause = Duration.milliseconds(10)

  /// Begins to watch: what began before does not count. Throws where the process cannot be watched.
  init(limit: Duration) throws {
    guard limit >= TestMonitor.leastLimit else { throw StallLimitError() }
    monitor = try TestMonitor.shared.get()
    self.limit = Nanoseconds(limit)
    start = TestMonitor.now
  }

  /// The holds that were too long, the longest first. `turn` makes the watched lanes turn, which has the monitor write,
  /// and waits for ``pause``; it is called until the store has all up to now, or for 10 s: then what it has counts.
  func holds(_ turn: () async throws -> Void) async throws -> [Hold] {
    let (end, deadline) = (TestMonitor.now, ContinuousClock.now + Self.patience)
    while true {
      try await turn()
      if let holds = try look(until: end, deadline) { return holds }
    }
  }

  /// The same without tasks.
  func holds(_ turn: () -> Void) throws -> [Hold] {
    let (end, deadline) = (TestMonitor.now, ContinuousClock.now + Self.patience)
    while true {
      turn()
      if let holds = try look(until: end, deadline) { return holds }
    }
  }

  /// One look at the store; nil if it does not have all yet. At the deadline it takes what there is, and throws if the
  /// monitor has seen nothing.
  private func look(until end: Nanoseconds, _ deadline: ContinuousClock.Instant) throws -> [Hold]? {
    let isLate = ContinuousClock.now >= deadline
    let holds = try monitor.holds(longerThan: limit, from: start, until: end, waitsForAll: !isLate)
    if isLate, holds == nil { throw StallReadingError() }
    return holds
  }
}

/// A limit is too short.
struct StallLimitError: Error, CustomStringConvertible {
  var description: String { "the limit must be \(TestMonitor.leastLimit) or more" }
}

/// The monitor did not write in time.
struct StallReadingError: Error, CustomStringConvertible {
  var description: String { "the monitor has seen nothing for ten seconds; it needs a dynamically linked test program" }
}
