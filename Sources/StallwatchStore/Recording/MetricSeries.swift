import StallwatchCore

/// The durations of a mode's metrics that are not in the store yet, by windows of time.
struct MetricSeries: Sendable {
  /// The metrics of one window.
  struct Window: Sendable, Equatable {
    var startedNs: Nanoseconds
    /// By the metrics' raw values; nil without samples.
    var metrics = [SparseHistogram?](repeating: nil, count: Metric.count)
  }

  /// Oldest first; growth goes into the last.
  private(set) var windows: [Window] = []
  /// The longest sample of each metric ever, in nanoseconds.
  private var longestEver = [Nanoseconds](repeating: 0, count: Metric.count)

  /// Adds growth to the window that begins at `start`, or to a later one if there is one.
  mutating func add(_ metrics: [MetricDelta], at start: Nanoseconds) {
    guard !metrics.isEmpty else { return }
    if windows.last.map({ start > $0.startedNs }) ?? true { windows.append(Window(startedNs: start)) }
    let last = windows.count - 1
    for delta in metrics {
      let place = Int(delta.metric.rawValue)
      // Taken out to be changed in place.
      var histogram = windows[last].metrics[place] ?? SparseHistogram()
      windows[last].metrics[place] = nil
      histogram.add(delta, previousMaximum: longestEver[place])
      windows[last].metrics[place] = histogram
      longestEver[place] = max(longestEver[place], delta.maximum)
    }
  }

  /// Removes all windows, once they are in the store.
  mutating func removeAll() { windows = [] }
}

/// A histogram that only grows, with the longest sample ever.
struct GrowingMetric: Sendable {
  private(set) var histogram = SparseHistogram()

  mutating func add(_ delta: MetricDelta) {
    histogram.add(delta, previousMaximum: histogram.maximum)
  }
}
