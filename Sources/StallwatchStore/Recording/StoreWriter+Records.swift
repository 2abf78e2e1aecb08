import StallwatchCore

extension StoreWriter {
  /// Writes one record that is no figure. Call it within a transaction. A record whose
  /// loop, mode or stall was lost is lost too, and counted.
  func keep(_ record: Record) throws(SQLiteFailure) {
    switch record {
    case .loop(let loop): try keep(loop)
    case .mode(let mode): try keep(mode)
    case .loopProgress(let progress): try keep(progress)
    case .stallBegan(let stall): try keep(stall)
    case .stallEnded(let end): try keep(end)
    case .samples(let samples): try keep(samples)
    case .profiledStack(let stack): try keep(stack)
    case .image(let image): try keep(image)
    case .timer(let timer): try keep(timer)
    case .timerDelta(let delta): try keep(delta)
    case .stallTimer(let hurt): try keep(hurt)
    case .interval(let interval): try keep(interval)
    case .loss(let loss): try keep(loss)
    case .profile, .driftTick, .health: break
    }
  }

  private func keep(_ loop: LoopRecord) throws(SQLiteFailure) {
    guard state.loops[loop.id]?.row == nil else { return }
    let insert = statements.insertLoop
    insert.bind(session, at: 1)
    insert.bind(UInt64(loop.id.rawValue), at: 2)
    insert.bind(loop.name, at: 3)
    insert.bind(loop.threadID, at: 4)
    insert.bind(Int64(loop.isMain ? 1 : 0), at: 5)
    insert.bind(loop.startedNs, at: 6)
    insert.bind(loop.kind.rawValue, at: 7)
    try insert.run()
    state.loops[loop.id, default: WriterState.Loop()].row = insertedRow
    state.see(loop.startedNs)
  }

  private func keep(_ mode: ModeRecord) throws(SQLiteFailure) {
    let key = WriterState.ModeKey(loop: mode.loop, index: mode.index)
    guard let loop = state.loops[mode.loop]?.row else { return try countLost(loop: nil) }
    guard state.modes[key]?.row == nil else { return }
    let insert = statements.insertMode
    insert.bind(loop, at: 1)
    insert.bind(Int64(mode.index), at: 2)
    insert.bind(mode.name, at: 3)
    insert.bind(mode.attachedNs, at: 4)
    try insert.run()
    state.modes[key, default: WriterState.Mode()].row = insertedRow
    state.see(mode.attachedNs)
  }

  /// A loop's end: its last figures, and its row. Only then do its windows leave the live region, which readers ignore
  /// for a loop that has ended.
  private func keep(_ progress: LoopProgress) throws(SQLiteFailure) {
    guard state.take(progress), let loop = state.loops[progress.loop], let row = loop.row else {
      return try countLost(loop: nil)
    }
    guard let endedNs = progress.endedNs else { return }
    try closeFigures(of: progress.loop)
    let update = statements.updateLoop
    update.bind(row, at: 1)
    update.bind(loop.outside, at: 2)
    update.bind(loop.activities, at: 3)
    update.bind(endedNs, at: 4)
    try update.run()
    state.see(endedNs)
    state.forget(progress.loop)
  }

  private func keep(_ stall: StallBegan) throws(SQLiteFailure) {
    let key = WriterState.ModeKey(loop: stall.loop, index: stall.mode)
    guard let loop = state.loops[stall.loop]?.row, let mode = state.modes[key]?.row else {
      return try countLost(loop: stall.loop)
    }
    guard state.openStalls[stall.id] == nil else { return }
    let outcome = outcomes[stall.id]
    let end = outcome?.end
    let insert = statements.insertStall
    insert.bind(session, at: 1)
    insert.bind(stall.id.rawValue, at: 2)
    insert.bind(loop, at: 3)
    insert.bind(mode, at: 4)
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
    insert.bind(stall.waiter.map { Int64(bitPattern: $0) }, at: 18)
    try insert.run()
    state.openStalls[stall.id] = WriterState.OpenStall(
      row: insertedRow, loop: stall.loop, startedNs: stall.startedNs, isComplete: end != nil)
    state.noteStall(stall.id, of: stall.loop, from: stall.startedNs)
    state.see(stall.detectedNs)
  }

  private func keep(_ end: StallEnded) throws(SQLiteFailure) {
    // The end of a stall whose beginning was lost is part of that loss.
    guard let stall = state.openStalls.removeValue(forKey: end.id) else { return }
    state.noteStallEnd(end.id, of: stall.loop, at: stall.startedNs.saturatingAdd(end.duration))
    if !stall.isComplete {
      try StallCompletion(
        row: stall.row, state: end.state, duration: end.duration, phase: end.phase, reason: end.reason,
        cause: stall.unreportedCause
      ).write(by: statements.completeStall)
    }
    state.see(stall.startedNs.saturatingAdd(end.duration))
  }

  private func keep(_ interval: IntervalRecord) throws(SQLiteFailure) {
    let insert = statements.insertInterval
    insert.bind(session, at: 1)
    insert.bind(interval.loop.flatMap { state.loops[$0]?.row ?? nil }, at: 2)
    insert.bind(interval.kind.rawValue, at: 3)
    insert.bind(interval.startedNs, at: 4)
    insert.bind(interval.endedNs, at: 5)
    insert.bind(interval.duration, at: 6)
    insert.bind(interval.reason, at: 7)
    try insert.run()
    state.see(interval.endedNs)
  }

  func keep(_ loss: LossRecord) throws(SQLiteFailure) {
    let row = loss.loop.flatMap { state.loops[$0]?.row ?? nil }
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

  /// Counts a record as lost because the record it belongs to was lost.
  func countLost(loop: LoopID?) throws(SQLiteFailure) {
    try keep(LossRecord(what: "records", loop: loop, count: 1))
  }
}
