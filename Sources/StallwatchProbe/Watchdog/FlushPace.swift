import StallwatchCore

/// How far apart flushes are: as close as the configuration asks, or as far as keeps what they cost within bounds. A
/// server with many lanes under load has much to hand on, and no processor to spare for it.
struct FlushPace {
  /// The most that flushes may cost, of one processor: 2 %. Each flush is charged for what the watchdog and the recorder's
  /// thread do for it.
  private static let costliest = 1.0 / 50
  /// The longest interval that cost may lead to: 100 ms, so that a report of a running program stays fresh.
  static let longest = 100 * Nanoseconds.millisecond
  /// The cheapest of so many periods counts, so that closings and commits of stalls, which come now and then, do not.
  private static let periods = 4

  private let configured: Nanoseconds
  /// The time from one flush to the next.
  private(set) var interval: Nanoseconds
  // Since the last period ended.
  private var flushes: Nanoseconds = 0
  private var ownCPU: Nanoseconds = 0
  private var otherCPU: Nanoseconds
  /// What one flush cost in each of the last periods.
  private var costs: [Nanoseconds] = []

  /// `interval`: the configured one; `otherCPU`: the CPU time of the recorder's threads so far.
  init(_ interval: Nanoseconds, otherCPU: Nanoseconds = 0) {
    (configured, self.interval, self.otherCPU) = (interval, interval, otherCPU)
  }

  /// Notes that a flush took the watchdog so much CPU time.
  mutating func noteFlush(cpu: Nanoseconds) {
    flushes += 1
    ownCPU += cpu
  }

  /// Ends a period; `otherCPU` is the CPU time of the recorder's threads so far.
  mutating func endPeriod(otherCPU total: Nanoseconds) {
    guard flushes > 0 else { return }
    costs.append((ownCPU + total.since(otherCPU)) / flushes)
    if costs.count > Self.periods { costs.removeFirst() }
    (flushes, ownCPU, otherCPU) = (0, 0, total)
    let cost = costs.count < Self.periods ? 0 : costs.min() ?? 0
    interval = max(configured, min(Nanoseconds(Double(cost) / Self.costliest), Self.longest))
  }
}
