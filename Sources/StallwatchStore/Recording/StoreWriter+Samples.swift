import StallwatchCore

extension StoreWriter {
  /// Replaces the earlier samples of a stall, which may be over, by these.
  func keep(_ reported: StallSamples) throws(SQLiteFailure) {
    guard let stall = try row(of: reported.stall) else { return try countLost(loop: nil) }
    let open = state.openStalls[reported.stall]
    if open?.hasSamples != false {
      let deletion = statements.samples.deleteSamples
      deletion.bind(stall, at: 1)
      try deletion.run()
    }
    for (number, sample) in reported.samples.prefix(SampleLimits.mostSamples).enumerated() {
      try insert(sample, number: number, of: stall)
    }
    let excess = reported.samples.count - SampleLimits.mostSamples
    if excess > 0 { try keep(LossRecord(what: "samples", loop: nil, count: UInt64(excess))) }
    try keep(reported.cause, ofSampled: reported.stall, open, row: stall)
    if let last = reported.samples.last { state.see(last.atNs) }
  }

  /// Keeps an open stall's cause until the end of the batch. Writes that of a stall that is over, and takes back at once
  /// one that the row has and that holds no longer.
  private func keep(
    _ cause: StallCause?, ofSampled stall: StallID, _ open: WriterState.OpenStall?, row: Int64
  ) throws(SQLiteFailure) {
    guard var open else { return try set(cause, of: row) }
    open.hasSamples = true
    if !open.isComplete {
      open.unreportedCause = cause
      if cause == nil { try set(nil, of: row) }
    }
    state.openStalls[stall] = open
  }

  /// Adds to the count of a stack seen while its loop was busy.
  func keep(_ seen: ProfiledStack) throws(SQLiteFailure) {
    guard let loop = state.loops[seen.loop]?.row else { return try countLost(loop: nil) }
    let add = statements.samples.addToProfile
    add.bind(loop, at: 1)
    add.bind(try row(ofStack: seen.frames), at: 2)
    add.bind(seen.count, at: 3)
    add.bind(seen.weight, at: 4)
    try add.run()
  }

  /// Writes where an image lies.
  func keep(_ image: ImageRecord) throws(SQLiteFailure) {
    let insert = statements.samples.insertImage
    insert.bind(session, at: 1)
    insert.bind(state.images, at: 2)
    insert.bind(SampleLimits.cut(image.path), at: 3)
    insert.bind(image.buildID.map(SampleLimits.cut), at: 4)
    insert.bind(Int64(bitPattern: image.base), at: 5)
    insert.bind(Int64(bitPattern: image.start), at: 6)
    insert.bind(Int64(bitPattern: image.end), at: 7)
    try insert.run()
    state.images += 1
  }

  private func insert(_ sample: StackSample, number: Int, of stall: Int64) throws(SQLiteFailure) {
    let blockedOn = sample.blockedOn
    let stack = try row(ofStack: sample.frames)
    var ownerStack: Int64?
    if let owner = blockedOn?.owner { ownerStack = try row(ofStack: owner.frames) }
    let insert = statements.samples.insertSample
    insert.bind(stall, at: 1)
    insert.bind(Int64(number), at: 2)
    insert.bind(sample.atNs, at: 3)
    insert.bind(min(sample.weight, SampleLimits.longestTime), at: 4)
    insert.bind(sample.activity.rawValue, at: 5)
    insert.bind(stack, at: 6)
    insert.bind((blockedOn?.systemCall).map(SampleLimits.cut), at: 7)
    insert.bind((blockedOn?.target).map(SampleLimits.cut), at: 8)
    insert.bind(blockedOn?.owner?.threadID, at: 9)
    insert.bind((blockedOn?.owner?.name).map(SampleLimits.cut), at: 10)
    insert.bind(ownerStack, at: 11)
    try insert.run()
  }

  /// Writes the new causes of stalls that go on.
  func writeCauses() throws(SQLiteFailure) {
    for (id, stall) in state.openStalls {
      guard let cause = stall.unreportedCause else { continue }
      try set(cause, of: stall.row)
      state.openStalls[id]?.unreportedCause = nil
    }
  }

  private func set(_ cause: StallCause?, of stall: Int64) throws(SQLiteFailure) {
    let set = statements.samples.setCause
    set.bind(stall, at: 1)
    set.bind(cause, at: 2)
    try set.run()
  }

  func row(of stall: StallID) throws(SQLiteFailure) -> Int64? {
    if let open = state.openStalls[stall] { return open.row }
    let find = statements.samples.findStall
    find.bind(session, at: 1)
    find.bind(stall.rawValue, at: 2)
    return try find.firstInteger()
  }

  /// The row of a stack; inserts one when the session has no equal stack.
  private func row(ofStack frames: [UInt64]) throws(SQLiteFailure) -> Int64 {
    let key = StackKey(frames: frames)
    if let row = stacks.value(of: key) { return row }
    let bytes = StackEncoding.encode(frames.prefix(SampleLimits.mostFrames))
    let hash = StackEncoding.hash(bytes)
    let row: Int64
    if let found = try find(bytes, hash: hash) {
      row = found
    } else {
      row = try insert(bytes, hash: hash, excess: frames.count - SampleLimits.mostFrames)
    }
    stacks.insert(row, of: key)
    return row
  }

  private func find(_ stack: [UInt8], hash: Int64) throws(SQLiteFailure) -> Int64? {
    let find = statements.samples.findStack
    find.bind(session, at: 1)
    find.bind(hash, at: 2)
    find.bind(stack, at: 3)
    return try find.firstInteger()
  }

  /// `excess` is the number of frames beyond the limit, which are counted as lost.
  private func insert(_ stack: [UInt8], hash: Int64, excess: Int) throws(SQLiteFailure) -> Int64 {
    let insert = statements.samples.insertStack
    insert.bind(session, at: 1)
    insert.bind(hash, at: 2)
    insert.bind(stack, at: 3)
    try insert.run()
    let row = insertedRow
    if excess > 0 { try keep(LossRecord(what: "frames", loop: nil, count: UInt64(excess))) }
    return row
  }
}
