import StallwatchCore

extension StoredMode {
  /// The modes of a loop in order of their numbers, each with the sums of its windows, of a store of version 1 to 4.
  static func ofOlderStore(loop: Int64, in connection: Connection) throws(SQLiteFailure) -> [StoredMode] {
    let statement = try connection.prepare(
      "SELECT number, id, name, attached_ns FROM modes WHERE loop = ?1 ORDER BY number")
    statement.bind(loop, at: 1)
    var modes: [StoredMode] = []
    var order = RowOrder<Int64>("modes")
    while try statement.step() {
      var row = statement.row
      try order.take(try row.number())
      modes.append(
        StoredMode(
          id: try row.rowNumber(), loop: loop, laneKind: .runLoop, name: try row.text(), attachedNs: try row.number(),
          entries: 0,
          iterations: 0, starved: 0, metrics: [:]))
    }
    for place in modes.indices {
      try modes[place].addWindows(in: connection)
      modes[place].metrics = try StoredMetric.all(mode: modes[place].id, in: connection)
    }
    return modes
  }

  private mutating func addWindows(in connection: Connection) throws(SQLiteFailure) {
    let statement = try connection.prepare("SELECT entries, iterations, starved_ns FROM mode_windows WHERE mode = ?1")
    statement.bind(id, at: 1)
    while try statement.step() {
      var row = statement.row
      entries = entries.saturatingAdd(try row.number())
      iterations = iterations.saturatingAdd(try row.number())
      starved = starved.saturatingAdd(try row.number())
    }
  }
}

extension StoredMetric {
  /// The metrics of a mode, each with the sums of its windows; reads one window at a time.
  fileprivate static func all(mode: Int64, in connection: Connection) throws(SQLiteFailure) -> [Metric: StoredMetric] {
    let statement = try connection.prepare(
      "SELECT metric, count, total_ns, max_ns, histogram FROM profile_windows WHERE mode = ?1")
    statement.bind(mode, at: 1)
    var metrics: [Metric: StoredMetric] = [:]
    while try statement.step() {
      var row = statement.row
      let metric = try row.word { name in Metric.allCases.first { $0.name == name } }
      try metrics[metric, default: .empty].add(&row)
    }
    return metrics
  }

  /// A metric without samples.
  static var empty: StoredMetric {
    StoredMetric(count: 0, total: 0, maximum: 0, histogram: DurationHistogram())
  }

  /// Adds the next four columns: count, sum, maximum and histogram.
  mutating func add(_ row: inout Row) throws(SQLiteFailure) {
    count = count.saturatingAdd(try row.number())
    total = total.saturatingAdd(try row.number())
    maximum = max(maximum, try row.number())
    let added: Void? = try row.bytesIfAny { bytes throws(SQLiteFailure) in
      try HistogramEncoding.add(bytes, to: &histogram)
    }
    if added == nil { throw .badContents("a histogram is missing") }
  }
}

extension StoredMetric {
  /// Adds one sample.
  mutating func record(_ sample: Nanoseconds) {
    count = count.saturatingAdd(1)
    total = total.saturatingAdd(sample)
    maximum = max(maximum, sample)
    histogram.record(sample)
  }

  /// Adds the growth of a histogram, whose longest sample before was `previousMaximum`.
  mutating func add(_ delta: MetricDelta, previousMaximum: Nanoseconds) {
    count = count.saturatingAdd(delta.count)
    total = total.saturatingAdd(delta.total)
    maximum = max(maximum, delta.longest(previousMaximum: previousMaximum))
    for bucket in delta.buckets where (0..<HistogramLayout.bucketCount).contains(bucket.index) {
      histogram.add(UInt64(bucket.count), at: bucket.index)
    }
  }

  /// Adds another's samples.
  mutating func add(_ other: StoredMetric) {
    count = count.saturatingAdd(other.count)
    total = total.saturatingAdd(other.total)
    maximum = max(maximum, other.maximum)
    histogram.add(other.histogram)
  }

  /// Adds samples that are not in the store yet.
  mutating func add(_ samples: SparseHistogram) {
    count = count.saturatingAdd(samples.count)
    total = total.saturatingAdd(samples.total)
    maximum = max(maximum, samples.maximum)
    for bucket in samples.buckets { histogram.add(bucket.count, at: bucket.index) }
  }
}
