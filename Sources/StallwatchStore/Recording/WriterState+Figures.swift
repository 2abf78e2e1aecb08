import StallwatchCore

/// Takes the growth of figures. What belongs to a loop, mode or timer that was lost is lost too; then these return
/// false.
extension WriterState {
  /// Adds a mode's growth to its windows.
  mutating func take(_ delta: ProfileDelta, by grids: WindowGrids) -> Bool {
    let key = ModeKey(loop: delta.loop, index: delta.mode)
    // Taken out to be changed in place.
    guard var mode = modes.removeValue(forKey: key) else { return false }
    let grid = isCrowded ? grids.crowdedTime : grids.time
    let full = mode.windows.full.count
    for stretch in delta.stretches { mode.windows.add(stretch, on: grid) }
    if mode.windows.full.count > full { hasNewWindow = true }
    mode.windows.add(entries: delta.entries, starved: delta.starved, at: delta.atNs, on: grid)
    mode.metrics.add(
      delta.metrics, at: delta.atNs, on: grids.metrics, ofLengths: isCrowded ? grids.crowdedMetricWindows : 1)
    modes[key] = mode
    unshown.modes.insert(key)
    see(delta.atNs)
    return true
  }

  mutating func take(_ progress: LoopProgress) -> Bool {
    guard var loop = loops[progress.loop] else { return false }
    loop.outside = loop.outside.saturatingAdd(progress.outside)
    loop.activities = loop.activities.saturatingAdd(progress.activities)
    loop.hasGrown = true
    loops[progress.loop] = loop
    unshown.loops.insert(progress.loop)
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
    unshown.timers.insert(delta.timer)
    see(delta.atNs)
    return isWhole
  }

  mutating func take(_ tick: DriftTick) -> Bool {
    guard loops[tick.loop] != nil else { return false }
    ticks.append(tick)
    unshown.ticks += 1
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

  /// What the store does not have, of loops, modes and timers whose rows are written: all of it, or what is within
  /// `cut`.
  func liveFigures(within cut: FigureCut? = nil) -> LiveFigures {
    var figures = LiveFigures(closings: closings, windowsWritten: windowsWritten, lastSeenNs: lastSeenNs)
    figures.health = health
    for loop in loops.values where loop.hasGrown {
      guard let row = loop.row else { continue }
      figures.loops.append(LiveFigures.Loop(row: row, outside: loop.outside, activities: loop.activities))
    }
    for key in modes.keys {
      guard var mode = self.figures(of: key) else { continue }
      if let cut {
        mode.windows.removeAll { !cut.contains($0) }
        mode.metrics.removeAll { !cut.contains($0) }
      }
      if !mode.windows.isEmpty || !mode.metrics.isEmpty { figures.modes.append(mode) }
    }
    // In the order of their rows, pages of the store become full.
    figures.modes.sort { $0.row < $1.row }
    figures.timers = grownTimers.compactMap { self.figures(of: $0) }
    figures.ticks = ticks.compactMap { tick in
      loops[tick.loop]?.row.map { LiveFigures.Tick(loop: $0, tick: tick) }
    }
    return figures
  }

  /// A mode's windows; nil when it has none that the store lacks.
  func figures(of key: ModeKey) -> LiveFigures.Mode? {
    guard let mode = modes[key], !mode.isEmpty, let row = mode.row, let loop = loops[key.loop]?.row else { return nil }
    return LiveFigures.Mode(row: row, loop: loop, windows: mode.windows.windows, metrics: mode.metrics.windows)
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

  /// Drops the windows and ticks that cannot be written: all of them, or those of loops and modes without a row. Sums
  /// that come whole stay. Returns how many they are.
  mutating func dropFigures(all: Bool) -> Int {
    let before = ticks.count
    ticks.removeAll { all || loops[$0.loop]?.row == nil }
    var count = before - ticks.count
    for key in modes.keys where all || modes[key]?.row == nil {
      guard var mode = modes.removeValue(forKey: key) else { continue }
      count += mode.windows.windows.count + mode.metrics.windows.count
      mode.removeAll()
      modes[key] = mode
    }
    return count
  }

  /// Forgets the figures that the store has from now on: all of those with a row, or what is within `cut`.
  mutating func close(_ written: LiveFigures, within cut: FigureCut?, number: Int64) {
    closings += 1
    windowsWritten = number
    let rows = Set(written.modes.map(\.row))
    for key in modes.keys {
      guard let row = modes[key]?.row, rows.contains(row) else { continue }
      modes[key]?.windows.removeAll { cut?.contains($0) ?? true }
      modes[key]?.metrics.removeAll { cut?.contains($0) ?? true }
    }
    let loopRows = Set(written.loops.map(\.row))
    for id in loops.keys {
      if let row = loops[id]?.row, loopRows.contains(row) { loops[id]?.hasGrown = false }
    }
    grownTimers = grownTimers.filter { timers[$0]?.row == nil }
    ticks = ticks.filter { loops[$0.loop].map { $0.row == nil } ?? false }
    // What has no row yet is not in the store either.
    showAll()
  }
}
