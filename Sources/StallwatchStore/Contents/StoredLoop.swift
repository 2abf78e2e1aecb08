import StallwatchCore

/// A loop in a store.
package struct StoredLoop: Sendable {
  /// The loop's row, unique in the store.
  package var id: Int64
  /// The row of its session.
  package var session: Int64
  /// Name, thread, start; `record.id` is its number within the session.
  package var record: LoopRecord
  /// When its thread or its watching ended, on the monotonic clock; nil when it lasted as long as the session.
  package var endedNs: Nanoseconds?
  /// Time between the end of one run and the start of the next, summed.
  package var outside: Nanoseconds
  /// How many activities the monitor observed.
  package var activities: UInt64

  /// Sets every property as given; checks nothing.
  package init(
    id: Int64, session: Int64, record: LoopRecord, endedNs: Nanoseconds?, outside: Nanoseconds, activities: UInt64
  ) {
    self.id = id
    self.session = session
    self.record = record
    self.endedNs = endedNs
    self.outside = outside
    self.activities = activities
  }
}

/// A mode of a loop, with its profile summed over all windows.
package struct StoredMode: Sendable {
  /// The mode's row, unique in the store.
  package var id: Int64
  /// The row of its loop.
  package var loop: Int64
  /// What kind of lane that is. Of a lane of items, the metrics are how long items waited and were served.
  package var laneKind: LaneKind
  /// CF's name.
  package var name: String
  /// When the monitor attached its observers to it, on the monotonic clock.
  package var attachedNs: Nanoseconds
  /// How many runs were entered.
  package var entries: UInt64
  /// How many iterations began.
  package var iterations: UInt64
  /// Time for which the mode's own sources could not run because a nested mode ran.
  package var starved: Nanoseconds
  /// The metrics that have samples; others are absent.
  package var metrics: [Metric: StoredMetric]
  /// The busy time of all its windows. For a lane whose items overlap, or wait while others are served, the metrics do not
  /// tell it. In a store of version 1 to 4, 0.
  package var windowsBusy: Nanoseconds = 0
  /// Their time without an item, in the same way.
  package var windowsWaiting: Nanoseconds = 0
  /// Whether it is cut by time: then only the windows tell the time, and ``metrics`` are of all windows of theirs that
  /// touch the range.
  package var isCutByTime = false

  /// Sets every property as given; checks nothing.
  package init(
    id: Int64, loop: Int64, laneKind: LaneKind, name: String, attachedNs: Nanoseconds, entries: UInt64,
    iterations: UInt64,
    starved: Nanoseconds, metrics: [Metric: StoredMetric]
  ) {
    self.id = id
    self.loop = loop
    self.laneKind = laneKind
    self.name = name
    self.attachedNs = attachedNs
    self.entries = entries
    self.iterations = iterations
    self.starved = starved
    self.metrics = metrics
  }
}

/// The durations of one metric: exact count, sum and maximum, and a histogram for the percentiles.
package struct StoredMetric: Sendable, Equatable {
  /// How many samples.
  package var count: UInt64
  /// The exact sum, in nanoseconds.
  package var total: Nanoseconds
  /// The longest sample, exact, in nanoseconds.
  package var maximum: Nanoseconds
  /// The samples by length.
  package var histogram: DurationHistogram

  /// Sets every property as given; checks nothing.
  package init(count: UInt64, total: Nanoseconds, maximum: Nanoseconds, histogram: DurationHistogram) {
    self.count = count
    self.total = total
    self.maximum = maximum
    self.histogram = histogram
  }
}
