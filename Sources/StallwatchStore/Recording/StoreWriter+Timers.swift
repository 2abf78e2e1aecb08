import StallwatchCore

extension StoreWriter {
  func keep(_ timer: TimerRecord) throws(SQLiteFailure) {
    let loop = timer.loop.flatMap { state.loops[$0]?.row }
    if let known = state.timers[timer.id] {
      let describe = statements.timers.describeTimer
      describe.bind(known.row, at: 1)
      describe.bind(loop, at: 2)
      describe.bind(timer.name.map(SampleLimits.cut), at: 3)
      describe.bind(timer.interval, at: 4)
      describe.bind(timer.tolerance, at: 5)
      describe.bind(JSONText.array(timer.modes), at: 6)
      // Its drops by mode come as places in the mode table of the loop that serves it now.
      state.move(timer.id, to: timer.loop)
      return try describe.run()
    }
    let insert = statements.timers.insertTimer
    insert.bind(session, at: 1)
    insert.bind(timer.id.rawValue, at: 2)
    insert.bind(loop, at: 3)
    insert.bind(timer.name.map(SampleLimits.cut), at: 4)
    insert.bind(timer.kind.rawValue, at: 5)
    insert.bind(Int64(bitPattern: timer.origin), at: 6)
    insert.bind(timer.interval, at: 7)
    insert.bind(timer.tolerance, at: 8)
    insert.bind(JSONText.array(timer.modes), at: 9)
    insert.bind(timer.madeNs, at: 10)
    try insert.run()
    state.add(WriterState.Timer(row: insertedRow, loop: timer.loop), as: timer.id)
    see(timer.madeNs)
  }

  func keep(_ delta: TimerDelta) throws(SQLiteFailure) {
    if delta.isLast { return state.forget(delta.timer) }
    guard var timer = state.timers[delta.timer] else { return try countLost(loop: nil) }
    if let growth = delta.lateness { timer.lateness.add(growth) }
    let lateness = timer.lateness.histogram
    let grow = statements.timers.growTimer
    grow.bind(timer.row, at: 1)
    grow.bind(delta.fired, at: 2)
    grow.bind(delta.dropped, at: 3)
    grow.bind(delta.droppedOutside, at: 4)
    grow.bind(delta.coalesced, at: 5)
    grow.bind(delta.rearmed, at: 6)
    grow.bind(delta.intervalChanges, at: 7)
    grow.bind(delta.calloutTotal, at: 8)
    grow.bind(delta.calloutMaximum, at: 9)
    let isLater = delta.lateness != nil
    grow.bind(isLater ? lateness.count : nil, at: 10)
    grow.bind(isLater ? lateness.total : nil, at: 11)
    grow.bind(isLater ? lateness.maximum : nil, at: 12)
    grow.bind(isLater ? HistogramEncoding.encode(lateness.buckets) : nil, at: 13)
    grow.bind(delta.worst?.atNs, at: 14)
    grow.bind(delta.endedNs, at: 15)
    try grow.run()
    for (mode, count) in delta.droppedByMode { try addDrops(count, in: mode, of: timer) }
    state.timers[delta.timer] = timer
    see(delta.atNs)
  }

  private func addDrops(_ count: UInt64, in mode: Int, of timer: WriterState.Timer) throws(SQLiteFailure) {
    guard let loop = timer.loop, let mode = state.modes[WriterState.ModeKey(loop: loop, index: mode)] else {
      return try countLost(loop: nil)
    }
    let add = statements.timers.addDrops
    add.bind(timer.row, at: 1)
    add.bind(mode.mode, at: 2)
    add.bind(count, at: 3)
    try add.run()
  }

  func keep(_ hurt: StallTimer) throws(SQLiteFailure) {
    guard let timer = state.timers[hurt.timer], let stall = try row(of: hurt.stall) else {
      return try countLost(loop: nil)
    }
    let add = statements.timers.addStallTimer
    add.bind(stall, at: 1)
    add.bind(timer.row, at: 2)
    add.bind(hurt.late, at: 3)
    add.bind(hurt.dropped, at: 4)
    add.bind(hurt.worstLateness, at: 5)
    try add.run()
  }

  func keep(_ tick: DriftTick) throws(SQLiteFailure) {
    guard let loop = state.loops[tick.loop] else { return try countLost(loop: nil) }
    let insert = statements.timers.insertTick
    insert.bind(loop.row, at: 1)
    insert.bind(tick.number, at: 2)
    insert.bind(tick.dueNs, at: 3)
    insert.bind(tick.runLoopLateness, at: 4)
    insert.bind(tick.gcdLateness, at: 5)
    insert.bind(tick.inOtherModes, at: 6)
    try insert.run()
    see(tick.dueNs)
  }
}
