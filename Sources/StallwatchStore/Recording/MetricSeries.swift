import StallwatchCore

/// The durations of a mode's metrics that are not in the store yet, by windows of time.
struct MetricSeries: Sendable {
  /// The metrics of one window.
  struct Window: Sendable, Equatable {
    var startedNs: Nanoseconds
    var length: Nanoseconds
    /// By the metrics' raw values; nil without samples.
    var metrics = [SparseHistogram?](repeating: nil, count: Metric.count)

    var endNs: Nanoseconds { startedNs.saturatingAdd(length) }
  }

  /// How windows lie in time.
  struct Grid: Sendable, Equatable {
    /// Windows are counted from here: the session's start.
    var origin: Nanoseconds
    /// A window's usual length.
    var length: Nanoseconds

    /// The window of `moment` that begins as usual, and ends where `count` windows together would.
    func window(at moment: Nanoseconds, ofLengths count: Nanoseconds) -> (start: Nanoseconds, length: Nanoseconds) {
      let start = start(of: moment, length: length)
      let end = self.start(of: moment, length: length * count).saturatingAdd(length * count)
      return (start, end - start)
    }

    /// The start of the usual window in which `moment` lies.
    func start(of moment: Nanoseconds) -> Nanoseconds { start(of: moment, length: length) }

    private func start(of moment: Nanoseconds, length: Nanoseconds) -> Nanoseconds {
      origin + moment.since(origin) / length * length
    }
  }

  /// Oldest first; growth goes into the last.
  private(set) var windows: [Window] = []
  /// The longest sample of each metric ever, in nanoseconds.
  private var longestEver = [Nanoseconds](repeating: 0, count: Metric.count)

  /// Adds growth to the window of `moment`, or to a later one if there is one. A new one is as long as `count` usual ones
  /// at most.
  mutating func add(_ metrics: [MetricDelta], at moment: Nanoseconds, on grid: Grid, ofLengths count: Nanoseconds) {
    guard !metrics.isEmpty else { return }
    if windows.last.map({ moment >= $0.endNs }) ?? true {
      let (start, length) = grid.window(at: moment, ofLengths: count)
      windows.append(Window(startedNs: start, length: length))
    }
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

  /// Makes the window in which `moment` lies as long as `count` usual ones at most.
  mutating func lengthen(at moment: Nanoseconds, on grid: Grid, ofLengths count: Nanoseconds) {
    guard let last = windows.last, moment < last.endNs else { return }
    let length = grid.window(at: last.startedNs, ofLengths: count).length
    windows[windows.count - 1].length = max(last.length, length)
  }

  /// Removes windows, once they are in the store.
  mutating func removeAll(where isWritten: (Window) -> Bool = { _ in true }) { windows.removeAll(where: isWritten) }
}

/// A histogram that only grows, with the longest sample ever.
struct GrowingMetric: Sendable {
  private(set) var histogram = SparseHistogram()

  mutating func add(_ delta: MetricDelta) {
    histogram.add(delta, previousMaximum: histogram.maximum)
  }
}
