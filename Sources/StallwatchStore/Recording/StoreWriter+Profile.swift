import StallwatchCore

extension StoreWriter {
  /// Adds a mode's growth to the window in which it was read, and writes that window as it now is.
  func keep(_ delta: ProfileDelta) throws(SQLiteFailure) {
    let key = WriterState.ModeKey(loop: delta.loop, index: delta.mode)
    // Taken out to be changed in place; put back below, or with all the rest when the transaction fails.
    guard var window = state.modes.removeValue(forKey: key) else {
      return try keep(.loss(LossRecord(what: "records", loop: delta.loop, count: 1)))
    }
    window.open(at: windowStart(of: delta.atNs))
    window.add(delta)
    try put(&window)
    let (mode, startedNs) = (window.mode, window.startedNs)
    for metric in delta.metrics {
      try put(&window[metric.metric], of: metric.metric, mode: mode, startedNs: startedNs)
    }
    state.modes[key] = window
    see(delta.atNs)
  }

  private func put(_ window: inout ModeWindow) throws(SQLiteFailure) {
    let isNew = window.row == nil
    let put = isNew ? statements.insertModeWindow : statements.updateModeWindow
    put.bind(window.row ?? window.mode, at: 1)
    if isNew { put.bind(window.startedNs, at: 2) }
    let next: Int32 = isNew ? 3 : 2
    put.bind(window.entries, at: next)
    put.bind(window.iterations, at: next + 1)
    put.bind(window.starved, at: next + 2)
    try put.run()
    if isNew { window.row = insertedRow }
  }

  private func put(
    _ samples: inout MetricWindow, of metric: Metric, mode: Int64, startedNs: Nanoseconds
  ) throws(SQLiteFailure) {
    let isNew = samples.row == nil
    let put = isNew ? statements.insertProfileWindow : statements.updateProfileWindow
    put.bind(samples.row ?? mode, at: 1)
    if isNew {
      put.bind(metric.name, at: 2)
      put.bind(startedNs, at: 3)
    }
    let next: Int32 = isNew ? 4 : 2
    put.bind(samples.histogram.count, at: next)
    put.bind(samples.histogram.total, at: next + 1)
    put.bind(samples.histogram.maximum, at: next + 2)
    put.bind(HistogramEncoding.encode(samples.histogram.buckets), at: next + 3)
    try put.run()
    if isNew { samples.row = insertedRow }
  }
}
