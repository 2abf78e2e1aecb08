/// Reads one mode's counters, and computes how they grew since the last reading. For the watchdog's thread.
struct ProfileReader {
  private let counters: ModeCounters
  private var entries: UInt64 = 0
  private var iterations: UInt64 = 0
  private var starved: Nanoseconds = 0
  private var metrics = [MetricReader](repeating: MetricReader(), count: Metric.count)

  /// Whether a sample was added since the last reading.
  private(set) var hasAdded = false

  init(_ counters: ModeCounters) { self.counters = counters }

  /// Adds a sample that the fold set aside as a spell.
  mutating func add(_ metric: Metric, _ duration: Nanoseconds) {
    metrics[Int(metric.rawValue)].add(duration)
    hasAdded = true
  }

  /// The growth since the last call; nil when there is none. O(counters of the metrics that grew).
  mutating func delta(of loop: LoopID, at now: Nanoseconds) -> ProfileDelta? {
    hasAdded = false
    let (newEntries, newIterations, newStarved) = (counters.entries, counters.iterations, counters.starved)
    var grown: [MetricDelta] = []
    for metric in Metric.allCases {
      guard let delta = metrics[Int(metric.rawValue)].delta(of: metric, in: counters[metric]) else { continue }
      if grown.isEmpty { grown.reserveCapacity(Metric.count) }
      grown.append(delta)
    }
    guard !grown.isEmpty || newEntries != entries || newIterations != iterations || newStarved != starved else {
      return nil
    }
    defer { (entries, iterations, starved) = (newEntries, newIterations, newStarved) }
    return ProfileDelta(
      loop: loop, mode: counters.index, atNs: now, entries: newEntries &- entries,
      iterations: newIterations &- iterations, starved: newStarved &- starved, metrics: grown)
  }
}
