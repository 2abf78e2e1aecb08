import StallwatchCore

/// A loop as a store holds it.
public struct StoredLoop: Sendable {
  /// Its row, unique in the store.
  public var id: Int64
  /// Its session's row.
  public var session: Int64
  /// Name, thread, start; `record.id` is its number within the session.
  public var record: LoopRecord
  /// When its thread or its watching ended, monotonic; nil when it lasted as long as the session.
  public var endedNs: Nanoseconds?
  /// Time between the end of one run and the start of the next.
  public var outside: Nanoseconds
  /// Activities observed.
  public var activities: UInt64

  /// A stored loop.
  public init(
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

/// A mode of a loop, with its profile added up over all windows.
public struct StoredMode: Sendable {
  /// Its row, unique in the store.
  public var id: Int64
  /// Its loop's row.
  public var loop: Int64
  /// CF's name.
  public var name: String
  /// When observers were attached to it, monotonic.
  public var attachedNs: Nanoseconds
  /// Runs entered.
  public var entries: UInt64
  /// Iterations begun.
  public var iterations: UInt64
  /// Time for which the mode's own sources could not run because a nested mode ran.
  public var starved: Nanoseconds
  /// The metrics that have samples.
  public var metrics: [Metric: StoredMetric]

  /// A stored mode.
  public init(
    id: Int64, loop: Int64, name: String, attachedNs: Nanoseconds, entries: UInt64, iterations: UInt64,
    starved: Nanoseconds, metrics: [Metric: StoredMetric]
  ) {
    self.id = id
    self.loop = loop
    self.name = name
    self.attachedNs = attachedNs
    self.entries = entries
    self.iterations = iterations
    self.starved = starved
    self.metrics = metrics
  }
}

/// Durations of one kind: exact count, sum and maximum, and a histogram for the percentiles.
public struct StoredMetric: Sendable {
  /// How many samples.
  public var count: UInt64
  /// Their exact sum.
  public var total: Nanoseconds
  /// The longest, exact.
  public var maximum: Nanoseconds
  /// How many samples were how long.
  public var histogram: DurationHistogram

  /// Durations of one kind.
  public init(count: UInt64, total: Nanoseconds, maximum: Nanoseconds, histogram: DurationHistogram) {
    self.count = count
    self.total = total
    self.maximum = maximum
    self.histogram = histogram
  }
}
