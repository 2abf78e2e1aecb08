import StallwatchCore

/// Which figures a closing brings into the store.
struct FigureCut: Sendable {
  /// Windows of time that ended by then.
  var timeEnd: Nanoseconds
  /// Windows of metrics and of ticks that ended by then.
  var metricEnd: Nanoseconds
  /// Whether timers' ledgers are among them.
  var hasTimers: Bool

  func contains(_ window: TimeWindow) -> Bool { window.isOver(before: timeEnd) }
  func contains(_ window: MetricSeries.Window) -> Bool { window.endNs <= metricEnd }
  func contains(_ window: TickWindow) -> Bool { window.startedNs.saturatingAdd(window.length) <= metricEnd }
}
