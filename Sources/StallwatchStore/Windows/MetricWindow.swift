import StallwatchCore

/// The durations of one metric of a mode in one window of time.
struct MetricWindow: Sendable, Equatable {
  var startedNs: Nanoseconds
  var length: Nanoseconds
  /// The metric's name in the store.
  var metric = ""
  var samples = StoredMetric.empty

  init(startedNs: Nanoseconds, length: Nanoseconds) { (self.startedNs, self.length) = (startedNs, length) }

  init(_ window: MetricSeries.Window, _ metric: Metric, _ samples: SparseHistogram) {
    self.init(startedNs: window.startedNs, length: window.length)
    self.metric = metric.name
    self.samples.add(samples)
  }

  /// Adds another window's samples, so that this one covers both.
  mutating func add(_ other: MetricWindow) {
    let end = max(startedNs.saturatingAdd(length), other.startedNs.saturatingAdd(other.length))
    startedNs = min(startedNs, other.startedNs)
    length = end - startedNs
    samples.add(other.samples)
  }
}
