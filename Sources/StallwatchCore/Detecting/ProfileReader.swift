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

  init(_ counters: ModeCounters, retired: RetiredCounters) { (self.counters, self.retired) = (counters, retired) }

  /// Adds a sample that the fold set aside as a spell.
  mutating func add(_ metric: Metric, _ duration: Nanoseconds) {
    metrics[Int(metric.rawValue)].add(duration)
    hasMore = true
  }

  /// The growth since the last call; nil when there is none. O(counters of the metrics that grew). Calls `emptied` if it
  /// read and emptied retired counters.
  mutating func delta(of loop: LoopID, at now: Nanoseconds, emptied: () -> Void) -> ProfileDelta? {
    switch retired.state {
    case .none: return growth(of: loop, at: now)
    case .asked:
      let before = self
      let growth = growth(of: loop, at: now)
      if retired.isStillAsked { return growth }
      // The counters were emptied meanwhile.
      self = before
      return delta(of: loop, at: now, emptied: emptied)
    case .underWay:
      hasMore = true
      return nil
    case .done:
      defer {
        retired.clear()
        emptied()
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

  /// Whether the loop's thread retires the counters right now.
  var isRetiring: Bool { retired.state == .underWay }

  /// Asks for the counters to be retired if they take more than usual. Returns whether it did.
  func askForRetirement() -> Bool {
    let memory = metrics.reduce(counters.groupsMemory) { $0 + $1.memory }
    guard memory > Self.usualMemory, retired.state == .none else { return false }
    retired.ask()
    return true
  }

  /// What the counters of a usual mode and the memory of their last readings take at the most, in bytes: 32 groups. With
  /// those that come before the mode is asked, and the mode's other memory, that is two pages. A mode whose durations are
  /// of many lengths always takes more, and is asked again and again.
  private static let usualMemory = 4_096
}
