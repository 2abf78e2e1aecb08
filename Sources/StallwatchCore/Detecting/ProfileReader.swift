/// Reads one mode's counters, and computes how they grew since the last reading. For the watchdog's thread.
struct ProfileReader {
  private let counters: ModeCounters
  private let retired: RetiredCounters
  private var entries: UInt64 = 0
  private var iterations: UInt64 = 0
  private var starved: Nanoseconds = 0
  private var metrics = [MetricReader](repeating: MetricReader(), count: Metric.count)

  /// Whether the next reading finds something though the loop does not turn: a sample that was added, or counters that
  /// were being retired at the last one.
  private(set) var hasMore = false
  /// Whether the memory of retired counters was emptied since this was last set.
  private var hasEmptied = false
  private var nextRetirement: Nanoseconds = 0

  init(_ counters: ModeCounters, retired: RetiredCounters) { (self.counters, self.retired) = (counters, retired) }

  /// Adds a sample that the fold set aside as a spell.
  mutating func add(_ metric: Metric, _ duration: Nanoseconds) {
    metrics[Int(metric.rawValue)].add(duration)
    hasMore = true
  }

  /// The growth since the last call; nil when there is none. O(counters of the metrics that grew).
  mutating func delta(of loop: LoopID, at now: Nanoseconds) -> ProfileDelta? {
    switch retired.state {
    case .none: return growth(of: loop, at: now)
    case .asked:
      let before = self
      let growth = growth(of: loop, at: now)
      if retired.isStillAsked { return growth }
      // The counters were emptied meanwhile.
      self = before
      return delta(of: loop, at: now)
    case .underWay:
      hasMore = true
      return nil
    case .done:
      defer {
        retired.clear()
        hasEmptied = true
      }
      return growth(of: loop, at: now, retired)
    }
  }

  private mutating func growth(
    of loop: LoopID, at now: Nanoseconds, _ retired: RetiredCounters? = nil
  ) -> ProfileDelta? {
    hasMore = false
    let (newEntries, newIterations, newStarved) = (counters.entries, counters.iterations, counters.starved)
    var grown: [MetricDelta] = []
    for metric in Metric.allCases {
      guard let delta = metrics[Int(metric.rawValue)].delta(of: metric, in: counters[metric], retired: retired) else {
        continue
      }
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

  /// Asks for the counters to be retired if they take more than usual, but not again and again. Returns whether it did.
  mutating func askForRetirement(at now: Nanoseconds) -> Bool {
    guard now >= nextRetirement, retired.state == .none,
      metrics.reduce(counters.groupsMemory, { $0 + $1.memory }) > Self.usualMemory
    else { return false }
    nextRetirement = now.saturatingAdd(Self.retirementInterval)
    retired.ask()
    return true
  }

  /// What the counters of a usual mode and the knowledge of them take, in bytes: with the mode's other memory, two pages.
  private static let usualMemory = 6_144
  /// A mode whose durations are of many lengths always takes more; to retire its counters now and then costs its thread
  /// nothing that could be measured, and gives little back.
  private static let retirementInterval = 60 * Nanoseconds.second

  /// Whether the memory of retired counters was emptied since the last call.
  mutating func takeEmptied() -> Bool {
    defer { hasEmptied = false }
    return hasEmptied
  }
}
