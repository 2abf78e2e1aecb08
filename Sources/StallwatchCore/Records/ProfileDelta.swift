/// How one mode's counters grew since the last flush.
package struct ProfileDelta: Sendable {
  /// The loop that has the mode.
  package var loop: LoopID
  /// The mode's place in the loop's table, from 0.
  package var mode: Int
  /// When the watchdog read the growth; it happened between the last flush and then.
  package var atNs: Nanoseconds
  /// How many runs were entered.
  package var entries: UInt64
  /// How many iterations began.
  package var iterations: UInt64
  /// Time for which the mode's own sources could not run because a nested mode ran.
  package var starved: Nanoseconds
  /// One entry for each metric that grew.
  package var metrics: [MetricDelta]
  /// The same growth over time, in the order of time. Spans that go on are in it, up to ``atNs``.
  package var stretches: [ModeStretch]

  /// Sets every property as given; checks nothing.
  package init(
    loop: LoopID, mode: Int, atNs: Nanoseconds, entries: UInt64, iterations: UInt64, starved: Nanoseconds,
    metrics: [MetricDelta], stretches: [ModeStretch] = []
  ) {
    self.loop = loop
    self.mode = mode
    self.atNs = atNs
    self.entries = entries
    self.iterations = iterations
    self.starved = starved
    self.metrics = metrics
    self.stretches = stretches
  }
}

/// How one histogram grew since the last record.
package struct MetricDelta: Sendable {
  /// Which duration the histogram counts.
  package var metric: Metric
  /// How many samples it gained.
  package var count: UInt64
  /// The exact sum of these samples.
  package var total: Nanoseconds
  /// The longest sample ever seen in this histogram, exact.
  package var maximum: Nanoseconds
  /// The counters that grew, in ascending order: each one's place in ``HistogramLayout`` and its growth.
  package var buckets: [(index: Int, count: UInt32)]

  /// Sets every property as given; checks nothing.
  package init(
    metric: Metric, count: UInt64, total: Nanoseconds, maximum: Nanoseconds, buckets: [(index: Int, count: UInt32)]
  ) {
    self.metric = metric
    self.count = count
    self.total = total
    self.maximum = maximum
    self.buckets = buckets
  }
}

extension MetricDelta {
  /// The longest of these samples, in nanoseconds, given the longest sample before them: exact if it exceeds that one.
  /// Otherwise only its counter is known, which gives it within 0.8 %. 0 without samples.
  package func longest(previousMaximum: Nanoseconds) -> Nanoseconds {
    if maximum > previousMaximum { return maximum }
    guard let highest = buckets.last, highest.index < HistogramLayout.bucketCount else { return 0 }
    return min(HistogramLayout.middleDuration(at: highest.index), maximum)
  }
}
