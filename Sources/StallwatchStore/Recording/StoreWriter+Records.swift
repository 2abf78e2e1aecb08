import StallwatchCore

extension StoreWriter {
  /// Writes one record. Call it within a transaction. A record whose loop, mode or stall was lost is lost too, and
  /// counted.
  func keep(_ record: Record) throws(SQLiteFailure) {
    switch record {
    case .loop(let loop): try keep(loop)
    case .mode(let mode): try keep(mode)
    case .loopProgress(let progress): try keep(progress)
    case .profile(let delta): try keep(delta)
    case .stallBegan(let stall): try keep(stall)
    case .stallEnded(let end): try keep(end)
    case .samples(let samples): try keep(samples)
    case .profiledStack(let stack): try keep(stack)
    case .image(let image): try keep(image)
    case .timer(let timer): try keep(timer)
    case .timerDelta(let delta): try keep(delta)
    case .stallTimer(let hurt): try keep(hurt)
    case .driftTick(let tick): try keep(tick)
    case .interval(let interval): try keep(interval)
    case .loss(let loss): try keep(loss)
    case .health(let health): try keep(health)
    }
  }

  private func keep(_ loop: LoopRecord) throws(SQLiteFailure) {
    guard state.loops[loop.id] == nil else { return }
    let insert = statements.insertLoop
    insert.bind(session, at: 1)
    insert.bind(UInt64(loop.id.rawValue), at: 2)
    insert.bind(loop.name, at: 3)
    insert.bind(loop.threadID, at: 4)
    insert.bind(Int64(loop.isMain ? 1 : 0), at: 5)
    insert.bind(loop.startedNs, at: 6)
    try insert.run()
    state.loops[loop.id] = WriterState.Loop(row: insertedRow)
    see(loop.startedNs)
  }

  private func keep(_ mode: ModeRecord) throws(SQLiteFailure) {
    let key = WriterState.ModeKey(loop: mode.loop, index: mode.index)
    guard let loop = state.loops[mode.loop] else { return try countLost(loop: nil) }
    guard state.modes[key] == nil else { return }
    let insert = statements.insertMode
    insert.bind(loop.row, at: 1)
    insert.bind(Int64(mode.index), at: 2)
    insert.bind(mode.name, at: 3)
    insert.bind(mode.attachedNs, at: 4)
    try insert.run()
    state.modes[key] = ModeWindow(mode: insertedRow)
    state.loops[mode.loop]?.modes.append(mode.index)
    see(mode.attachedNs)
  }

  private func keep(_ progress: LoopProgress) throws(SQLiteFailure) {
    guard var loop = state.loops[progress.loop] else { return try countLost(loop: nil) }
    loop.outside = loop.outside.saturatingAdd(progress.outside)
    loop.activities = loop.activities.saturatingAdd(progress.activities)
    state.loops[progress.loop] = loop
    let update = statements.updateLoop
    update.bind(loop.row, at: 1)
    update.bind(loop.outside, at: 2)
    update.bind(loop.activities, at: 3)
    update.bind(progress.endedNs, at: 4)
    try update.run()
    guard let endedNs = progress.endedNs else { return }
    see(endedNs)
    state.forget(progress.loop)
  }

  private func keep(_ stall: StallBegan) throws(SQLiteFailure) {
    let key = WriterState.ModeKey(loop: stall.loop, index: stall.mode)
    guard let loop = state.loops[stall.loop], let mode = state.modes[key] else {
      return try countLost(loop: stall.loop)
    }
    guard state.openStalls[stall.id] == nil else { return }
    let outcome = outcomes[stall.id]
    let end = outcome?.end
    let insert = statements.insertStall
    insert.bind(session, at: 1)
    insert.bind(stall.id.rawValue, at: 2)
    insert.bind(loop.row, at: 3)
    insert.bind(mode.mode, at: 4)
    insert.bind(stall.kind.rawValue, at: 5)
    insert.bind((end?.phase ?? stall.phase).name, at: 6)
    insert.bind(Int64(stall.depth), at: 7)
    insert.bind(stall.startedNs, at: 8)
    insert.bind(stall.detectedNs, at: 9)
    insert.bind(JSONText.object(stall.annotations), at: 10)
    insert.bind((end?.state ?? .began).rawValue, at: 11)
    insert.bind((end?.duration).map { Severity(duration: $0).name }, at: 12)
    insert.bind(end?.duration, at: 13)
    insert.bind(end?.reason, at: 14)
    insert.bind(outcome?.cause, at: 15)
    try insert.run()
    state.openStalls[stall.id] = WriterState.OpenStall(
      row: insertedRow, startedNs: stall.startedNs, isComplete: end != nil)
    see(stall.detectedNs)
  }

  private func keep(_ end: StallEnded) throws(SQLiteFailure) {
    // The end of a stall whose beginning was lost is part of that loss.
    guard let stall = state.openStalls.removeValue(forKey: end.id) else { return }
    if !stall.isComplete {
      try StallCompletion(
        row: stall.row, state: end.state, duration: end.duration, phase: end.phase, reason: end.reason,
        cause: stall.untoldCause
      ).write(by: statements.completeStall)
    }
    see(stall.startedNs.saturatingAdd(end.duration))
  }

  private func keep(_ interval: IntervalRecord) throws(SQLiteFailure) {
    let insert = statements.insertInterval
    insert.bind(session, at: 1)
    insert.bind(interval.loop.flatMap { state.loops[$0]?.row }, at: 2)
    insert.bind(interval.kind.rawValue, at: 3)
    insert.bind(interval.startedNs, at: 4)
    insert.bind(interval.endedNs, at: 5)
    insert.bind(interval.duration, at: 6)
    insert.bind(interval.reason, at: 7)
    try insert.run()
    see(interval.endedNs)
  }

  func keep(_ loss: LossRecord) throws(SQLiteFailure) {
    let row = loss.loop.flatMap { state.loops[$0]?.row }
    let key = WriterState.LossKey(what: loss.what, loop: row == nil ? nil : loss.loop)
    let count = (state.losses[key] ?? 0).saturatingAdd(loss.count)
    state.losses[key] = count
    let put = statements.putLoss
    put.bind(session, at: 1)
    put.bind(row, at: 2)
    put.bind(loss.what, at: 3)
    put.bind(count, at: 4)
    try put.run()
  }

  private func keep(_ health: HealthRecord) throws(SQLiteFailure) {
    if let growth = health.watchdogLateness { state.lateness.add(growth) }
    let lateness = state.lateness.histogram
    let put = statements.putHealth
    put.bind(session, at: 1)
    put.bind(health.atNs, at: 2)
    put.bind(health.observerTotal, at: 3)
    put.bind(health.monitorCPU, at: 4)
    put.bind(health.wakeups, at: 5)
    let isKnown = lateness.count > 0
    put.bind(isKnown ? lateness.count : nil, at: 6)
    put.bind(isKnown ? lateness.total : nil, at: 7)
    put.bind(isKnown ? lateness.maximum : nil, at: 8)
    put.bind(isKnown ? HistogramEncoding.encode(lateness.buckets) : nil, at: 9)
    put.bind(health.signalObstacle, at: 10)
    put.bind(health.driftWakeups, at: 11)
    try put.run()
    see(health.atNs)
  }

  /// Counts a record as lost because the record it belongs to was lost.
  func countLost(loop: LoopID?) throws(SQLiteFailure) {
    try keep(LossRecord(what: "records", loop: loop, count: 1))
  }

  /// Notes that the monitor was alive at `moment`, as a record shows.
  func see(_ moment: Nanoseconds) { state.lastSeenNs = max(state.lastSeenNs, moment) }
}
