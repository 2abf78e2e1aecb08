/// How one mode's counters grew since the last flush.
public struct ProfileDelta: Sendable {
  /// The loop.
  public var loop: LoopID
  /// The mode's place in the loop's table.
  public var mode: Int
  /// When the growth was read; it lies between the last flush and now.
  public var atNs: Nanoseconds
  /// Runs entered.
  public var entries: UInt64
  /// Iterations begun.
  public var iterations: UInt64
  /// Time for which the mode's own sources could not run because a nested mode ran.
  public var starved: Nanoseconds
  /// One for each metric that grew.
  public var metrics: [MetricDelta]

  /// A mode's growth.
  public init(
    loop: LoopID, mode: Int, atNs: Nanoseconds, entries: UInt64, iterations: UInt64, starved: Nanoseconds,
    metrics: [MetricDelta]
  ) {
    self.loop = loop
    self.mode = mode
    self.atNs = atNs
    self.entries = entries
    self.iterations = iterations
    self.starved = starved
    self.metrics = metrics
  }
}

/// How one histogram grew.
public struct MetricDelta: Sendable {
  /// Which durations.
  public var metric: Metric
  /// How many samples were added.
  public var count: UInt64
  /// Their exact sum.
  public var total: Nanoseconds
  /// The longest sample ever seen in this histogram, exact.
  public var maximum: Nanoseconds
  /// The counters that grew, in ascending order: place in ``HistogramLayout`` and growth.
  public var buckets: [(index: Int, count: UInt32)]

  /// A histogram's growth.
  public init(
    metric: Metric, count: UInt64, total: Nanoseconds, maximum: Nanoseconds, buckets: [(index: Int, count: UInt32)]
  ) {
    self.metric = metric
    self.count = count
    self.total = total
    self.maximum = maximum
    self.buckets = buckets
  }
}
