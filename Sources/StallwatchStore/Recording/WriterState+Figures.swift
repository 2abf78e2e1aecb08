import StallwatchCore

/// Takes the growth of figures. What belongs to a loop, mode or timer that was lost is lost too; then these return
/// false.
extension WriterState {
  /// Adds a mode's growth to its windows.
  mutating func take(_ delta: ProfileDelta, on grid: WindowSeries.Grid, metricLength: Nanoseconds) -> Bool {
    let key = ModeKey(loop: delta.loop, index: delta.mode)
    // Taken out to be changed in place.
    guard var mode = modes.removeValue(forKey: key) else { return false }
    for stretch in delta.stretches { mode.windows.add(stretch, on: grid) }
    mode.windows.add(entries: delta.entries, starved: delta.starved, at: delta.atNs, on: grid)
    mode.metrics.add(delta.metrics, at: grid.start(of: delta.atNs, length: metricLength))
    modes[key] = mode
    see(delta.atNs)
    return true
  }

  mutating func take(_ progress: LoopProgress) -> Bool {
    guard var loop = loops[progress.loop] else { return false }
    loop.outside = loop.outside.saturatingAdd(progress.outside)
    loop.activities = loop.activities.saturatingAdd(progress.activities)
    loop.hasGrown = true
    loops[progress.loop] = loop
    return true
  }

  mutating func take(_ delta: TimerDelta) -> Bool {
    guard var timer = timers.removeValue(forKey: delta.timer) else { return false }
    timer.figures.add(delta)
    var isWhole = true
    for (mode, count) in delta.droppedByMode {
      let key = timer.loop.map { ModeKey(loop: $0, index: mode) }
      guard let key, modes[key] != nil else {
        isWhole = false
        continue
      }
      timer.drops[key] = (timer.drops[key] ?? 0).saturatingAdd(count)
    }
    timers[delta.timer] = timer
    grownTimers.insert(delta.timer)
    see(delta.atNs)
    return isWhole
  }

  mutating func take(_ tick: DriftTick, on grid: WindowSeries.Grid, metricLength: Nanoseconds) -> Bool {
    // Taken out to be changed in place.
    guard var loop = loops.removeValue(forKey: tick.loop) else { return false }
    loop.ticks.add(tick, on: grid, length: metricLength)
    loops[tick.loop] = loop
    see(tick.dueNs)
    return true
  }

  mutating func take(_ record: HealthRecord) {
    var lateness = health?.lateness ?? SparseHistogram()
    if let growth = record.watchdogLateness { lateness.add(growth, previousMaximum: lateness.maximum) }
    health = LiveFigures.Health(
      atNs: record.atNs, observerTotal: record.observerTotal, monitorCPU: record.monitorCPU, wakeups: record.wakeups,
      driftWakeups: record.driftWakeups, lateness: lateness, signalObstacle: record.signalObstacle)
    see(record.atNs)
  }

  /// Everything that the store does not have, of loops, modes and timers whose rows are written.
  var liveFigures: LiveFigures {
    var figures = LiveFigures(
      closings: closings, windowsWritten: windowsWritten, fromNs: figuresFromNs, lastSeenNs: lastSeenNs)
    figures.health = health
    for loop in loops.values where loop.hasGrown {
      guard let row = loop.row else { continue }
      figures.loops.append(LiveFigures.Loop(row: row, outside: loop.outside, activities: loop.activities))
    }
    for key in modes.keys {
      if let mode = self.figures(of: key) { figures.modes.append(mode) }
    }
    figures.timers = grownTimers.compactMap { self.figures(of: $0) }
    figures.ticks = loops.keys.compactMap { ticks(of: $0) }
    return figures
  }

  /// A mode's windows; nil when it has none that the store lacks.
  func figures(of key: ModeKey) -> LiveFigures.Mode? {
    guard let mode = modes[key], !mode.isEmpty, let row = mode.row, let loop = loops[key.loop]?.row else { return nil }
    return LiveFigures.Mode(row: row, loop: loop, windows: mode.windows.windows, metrics: mode.metrics.windows)
  }

  /// The windows of a loop's ticks; nil when it has none that the store lacks.
  func ticks(of loop: LoopID) -> LiveFigures.Ticks? {
    guard let loop = loops[loop], let row = loop.row, !loop.ticks.windows.isEmpty else { return nil }
    return LiveFigures.Ticks(loop: row, windows: loop.ticks.windows)
  }

  /// A timer's ledger; nil before its row is written.
  func figures(of id: TimerID) -> LiveFigures.Timer? {
    guard let timer = timers[id], let row = timer.row else { return nil }
    var drops: [Int64: UInt64] = [:]
    for (key, count) in timer.drops {
      if let mode = modes[key]?.row { drops[mode] = count }
    }
    return LiveFigures.Timer(row: row, figures: timer.figures, drops: drops)
  }

  /// Drops the windows that cannot be written: all of them, or those of loops and modes without a row. Sums that come
  /// whole stay. Returns how many they are.
  mutating func dropFigures(all: Bool) -> Int {
    var count = 0
    for id in loops.keys where all || loops[id]?.row == nil {
      guard var loop = loops.removeValue(forKey: id) else { continue }
      count += loop.ticks.windows.count
      loop.ticks.removeAll()
      loops[id] = loop
    }
    for key in modes.keys where all || modes[key]?.row == nil {
      guard var mode = modes.removeValue(forKey: key) else { continue }
      count += mode.windows.windows.count + mode.metrics.windows.count
      mode.windows.removeAll()
      mode.metrics.removeAll()
      modes[key] = mode
    }
    return count
  }

  /// Forgets the figures that the store has from now on.
  mutating func close(_ written: LiveFigures, number: Int64) {
    closings += 1
    windowsWritten = number
    let rows = Set(written.modes.map(\.row))
    for key in modes.keys {
      guard let row = modes[key]?.row, rows.contains(row) else { continue }
      modes[key]?.windows.removeAll()
      modes[key]?.metrics.removeAll()
    }
    let loopRows = Set(written.loops.map(\.row))
    let tickedRows = Set(written.ticks.map(\.loop))
    for id in loops.keys {
      guard let row = loops[id]?.row else { continue }
      if loopRows.contains(row) { loops[id]?.hasGrown = false }
      if tickedRows.contains(row) { loops[id]?.ticks.removeAll() }
    }
    grownTimers = grownTimers.filter { timers[$0]?.row == nil }
  }
}
