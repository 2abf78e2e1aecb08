import StallwatchCore

/// How a session's windows lie in time, as usual and where there is too much for that.
struct WindowGrids: Sendable {
  let time: WindowSeries.Grid
  let crowdedTime: WindowSeries.Grid
  let metrics: MetricSeries.Grid
  /// How many windows of metrics become one where there is too much.
  let crowdedMetricWindows: Nanoseconds

  init(origin: Nanoseconds, _ configuration: StoreRecorder.Configuration, limit: CellLimit) {
    let time = WindowSeries.Grid(
      origin: origin, windowLength: configuration.timeWindowLength, cellLength: configuration.cellLength,
      evenLength: configuration.timeWindowLength)
    var crowded = time
    crowded.windowLength = max(min(limit.shortWindow, time.windowLength), time.cellLength)
    (self.time, crowdedTime) = (time, crowded)
    metrics = MetricSeries.Grid(origin: origin, length: max(configuration.windowLength, 1))
    crowdedMetricWindows = limit.metricWindows
  }
}
