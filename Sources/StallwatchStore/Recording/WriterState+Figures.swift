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
    if !delta.metrics.isEmpty { mode.shownMetricWindows = min(mode.shownMetricWindows, mode.metrics.windows.count - 1) }
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

  mutating func take(_ tick: DriftTick, by grids: WindowGrids) -> Bool {
    // Taken out to be changed in place.
    guard var loop = loops.removeValue(forKey: tick.loop) else { return false }
    loop.ticks.add(tick, on: grids.metrics, ofLengths: isCrowded ? grids.crowdedMetricWindows : 1)
    loops[tick.loop] = loop
    unshown.ticks.insert(tick.loop)
    see(tick.dueNs)
    return true
  }

  mutating func take(_ record: HealthRecord) {
    var lateness = health?.lateness ?? SparseHistogram()
    if let growth = record.watchdogLateness {
      lateness.add(growth, previousMaximum: lateness.maximum)
      unshown.watchdogLateness = true
    }
    health = LiveFigures.Health(
      atNs: record.atNs, observerTotal: record.observerTotal, monitorCPU: record.monitorCPU, wakeups: record.wakeups,
      driftWakeups: record.driftWakeups, lateness: lateness, signalObstacle: record.signalObstacle)
    see(record.atNs)
  }

  /// What the store does not have, of loops, modes and timers whose rows are written: all of it, or what is within
  /// `cut`.
  func liveFigures(within cut: FigureCut? = nil) -> LiveFigures {
    var figures = LiveFigures(
      closings: closings, windowsWritten: windowsWritten, timersFromNs: timersFromNs, lastSeenNs: lastSeenNs)
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
    if cut?.hasTimers ?? true { figures.timers = grownTimers.compactMap { self.figures(of: $0) } }
    for id in loops.keys {
      guard var ticks = ticks(of: id) else { continue }
      if let cut { ticks.windows.removeAll { !cut.contains($0) } }
      if !ticks.windows.isEmpty { figures.ticks.append(ticks) }
    }
    return figures
  }

  /// A mode's windows as the store gets them; nil when it has none that the store lacks.
  func figures(of key: ModeKey) -> LiveFigures.Mode? {
    guard let mode = modes[key], !mode.isEmpty, let row = mode.row, let loop = loops[key.loop]?.row else { return nil }
    let metrics = isCrowded ? mode.metrics.windows.map(\.withCoarseWaits) : mode.metrics.windows
    return LiveFigures.Mode(row: row, loop: loop, windows: mode.windows.windows, metrics: metrics)
  }

  /// The windows of a loop's ticks; nil when it has none that the store lacks.
  func ticks(of loop: LoopID) -> LiveFigures.Ticks? {
    guard let loop = loops[loop], let row = loop.row, !loop.ticks.windows.isEmpty else { return nil }
    return LiveFigures.Ticks(loop: row, windows: loop.ticks.windows)
  }

  /// A timer's ledger as the store gets it; nil before its row is written.
  func figures(of id: TimerID) -> LiveFigures.Timer? {
    guard let timer = timers[id], let row = timer.row else { return nil }
    var drops: [Int64: UInt64] = [:]
    for (key, count) in timer.drops {
      if let mode = modes[key]?.row { drops[mode] = count }
    }
    var figures = timer.figures
    // A row beyond a quarter of a page takes pages of its own, as ten minutes of fine counters would.
    if isCrowded { figures.lateness = figures.lateness.coarse(by: LivePieces.coarseBits) }
    return LiveFigures.Timer(row: row, figures: figures, drops: drops)
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
    let tickedRows = Set(written.ticks.map(\.loop))
    for id in loops.keys {
      guard let row = loops[id]?.row else { continue }
      if loopRows.contains(row) { loops[id]?.hasGrown = false }
      if tickedRows.contains(row) { loops[id]?.ticks.removeAll { cut?.contains($0) ?? true } }
    }
    if cut?.hasTimers ?? true {
      for id in grownTimers where timers[id]?.row != nil { timers[id]?.figures.close() }
      grownTimers = grownTimers.filter { timers[$0]?.row == nil }
    }
    // What has no row yet is not in the store either.
    showAll()
  }
}
