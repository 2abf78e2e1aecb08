import StallwatchCore

extension StoreWriter {
  func keep(_ timer: TimerRecord) throws(SQLiteFailure) {
    let loop = timer.loop.flatMap { state.loops[$0]?.row ?? nil }
    if let row = state.timers[timer.id]?.row {
      let describe = statements.timers.describeTimer
      describe.bind(row, at: 1)
      describe.bind(loop, at: 2)
      describe.bind(timer.name.map(SampleLimits.cut), at: 3)
      describe.bind(timer.interval, at: 4)
      describe.bind(timer.tolerance, at: 5)
      describe.bind(JSONText.array(timer.modes), at: 6)
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
    let row = insertedRow
    state.timers[timer.id, default: WriterState.Timer(loop: timer.loop)].row = row
    state.see(timer.madeNs)
  }

  /// A timer's last record: its ledger, and then nothing more.
  func keep(_ delta: TimerDelta) throws(SQLiteFailure) {
    try closeFigures(of: delta.timer)
    state.forget(delta.timer)
  }

  func keep(_ hurt: StallTimer) throws(SQLiteFailure) {
    guard let timer = state.timers[hurt.timer]?.row, let stall = try row(of: hurt.stall) else {
      return try countLost(loop: nil)
    }
    let add = statements.timers.addStallTimer
    add.bind(stall, at: 1)
    add.bind(timer, at: 2)
    add.bind(hurt.late, at: 3)
    add.bind(hurt.dropped, at: 4)
    add.bind(hurt.worstLateness, at: 5)
    try add.run()
  }
}
