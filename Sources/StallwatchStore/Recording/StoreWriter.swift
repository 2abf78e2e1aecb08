import CSQLite
import CStallwatch
import StallwatchCore
import StallwatchLibc

/// Writes one session's records into a store. For the writer's thread.
///
/// Figures, which grow all the time, are added up in memory and shown in the live region; a closing brings them into
/// the store. Everything else waits for the next transaction.
final class StoreWriter {
  let session: Int64
  let statements: WriterStatements
  var state: WriterState
  /// The outcomes of the stalls in the transaction that is being written.
  var outcomes = StallOutcomes()
  /// The rows of stacks seen lately. 4,096 suffice a busy program for some minutes, and take about 2 MB.
  var stacks = RecentlyUsed<StackKey, Int64>(capacity: 4_096)
  let connection: Connection
  private var cache: WriterCache
  let live: LiveRegion
  /// Keeps the store within its limits; nil without any.
  private(set) var tending: StoreTending?
  let busyTimeout: Nanoseconds
  /// Records that wait for the next transaction, in their order.
  private var waiting: [Record] = []
  /// When the open windows of time are full, on the clock of the records; nil while no figures wait.
  private var closingNs: Nanoseconds?
  /// The file that this writes; nil where its status was unknown.
  private let file: FileStatus?
  private let grids: WindowGrids
  private let cellLimit = CellLimit()
  private var isLogged: Bool

  /// Opens or makes the store, completes what dead processes left in it, and inserts the session. Throws
  /// ``StoreError/busy(path:)`` when another connection has it locked for the configuration's `busyTimeout`.
  init(path: String, session record: SessionRecord, configuration: StoreRecorder.Configuration) throws(StoreError) {
    connection = try WritableStore.open(
      path, creating: true, busyTimeout: configuration.busyTimeout, maximumSize: configuration.maximumSize,
      fileSystem: StoreFileSystem.name)
    cache = WriterCache(of: connection)
    busyTimeout = configuration.busyTimeout
    file = FileStatus(path: connection.path, followingLinks: false)
    grids = WindowGrids(origin: record.startedNs, configuration, limit: cellLimit)
    state = WriterState(lastSeenNs: record.startedNs)
    (session, statements, isLogged) = try reportingFailures(of: path) { [connection] () throws(SQLiteFailure) in
      try WriterCache.keepUsual(of: connection)
      Self.tidyUp(connection)
      let isLogged = WritableStore.useLog(connection)
      var leftovers: [String] = []
      let row = try connection.write { () throws(SQLiteFailure) in
        leftovers = try DeadSessions.finalise(in: connection, image: ProgramImage(beginning: record))
        return try Self.insert(record, windowLength: configuration.windowLength, into: connection)
      }
      LiveRegion.remove(leftovers)
      Self.tidyUp(connection)
      connection.compilesLate = true
      return (row, try WriterStatements(connection), isLogged)
    }
    live = LiveRegion(store: connection.path, session: session, startedNs: record.startedNs)
    guard let limits = configuration.retention else { return }
    tending = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      try StoreTending(connection, limits: limits, own: (session, record.startedNs)) { [weak self] in
        self?.stacks.removeAll()
      }
    }
  }

  /// Makes room for what stays after what the opening has needed, not between it: that is given back in whole pages
  /// then.
  private static func tidyUp(_ connection: Connection) {
    connection.releaseMemory()
    stallwatch_gather_heap()
  }

  /// Releases what writing needs and keeping does not. Any later writing takes a millisecond longer.
  func releaseMemory() {
    cache.shrink()
    Self.tidyUp(connection)
    stallwatch_give_back_heap()
  }

  // MARK: Taking

  /// Takes records: adds figures up, and keeps everything else for the next transaction.
  func take(_ records: [Record]) {
    for record in records {
      guard record.isFigure else {
        state.expect(record)
        waiting.append(record)
        continue
      }
      if !takeFigure(record) { waiting.append(.loss(LossRecord(what: "records", loop: nil, count: 1))) }
      if closingNs == nil { openFigures() }
    }
    guard state.hasNewWindow else { return }
    state.hasNewWindow = false
    state.coarsen(on: grids, limit: cellLimit)
  }

  /// Begins to gather figures: the next closing is due at the end of a window of metrics.
  private func openFigures() {
    let start = grids.metrics.start(of: state.lastSeenNs)
    // Ledgers that the last closing left out go on.
    if closingNs == nil || state.grownTimers.isEmpty { state.timersFromNs = start }
    closingNs = start.saturatingAdd(grids.metrics.length)
  }

  private func takeFigure(_ record: Record) -> Bool {
    switch record {
    case .profile(let delta): return state.take(delta, by: grids)
    case .loopProgress(let progress): return state.take(progress)
    case .timerDelta(let delta): return state.take(delta)
    case .driftTick(let tick): return state.take(tick, by: grids)
    case .health(let health): state.take(health)
    default: break
    }
    return true
  }

  /// Whether records wait for a transaction.
  var hasWaiting: Bool { !waiting.isEmpty }
  /// Whether the open windows of time are full.
  var isClosingDue: Bool { closingNs.map { state.lastSeenNs >= $0 } ?? false }

  /// Gives up the records that wait, which cannot be written, and with `figures` those that a closing would have brought
  /// in: memory stays bounded beside a store that takes nothing. Returns how many they are, and how many records were
  /// lost before, which some of them report.
  func giveUpWaiting(figures: Bool = false) -> (records: Int, losses: UInt64) {
    var given: (records: Int, losses: UInt64) = (state.dropFigures(all: figures), 0)
    for record in waiting {
      if case .loss(let loss) = record, loss.what == "records" {
        given.losses = given.losses.saturatingAdd(loss.count)
      } else {
        given.records += 1
      }
      state.expectNoLonger(record)
    }
    waiting = []
    if figures {
      closingNs = nil
      live.empty()
      state.showAll()
    }
    return given
  }

  // MARK: Writing

  /// Writes everything that waits in one transaction; a closing brings figures in, too. All of it, or nothing if this
  /// throws.
  func commit(closing: Closing?, trouble: String?) throws(SQLiteFailure) {
    // A reader of the old kind of journal may have prevented the use of the log.
    if !isLogged { isLogged = WritableStore.useLog(connection) }
    let before = state
    do {
      try connection.write { () throws(SQLiteFailure) in
        // In here, because outside it would wait for a locked store, too.
        cache.prepare(for: waiting.count)
        outcomes = StallOutcomes(of: waiting)
        for record in waiting { try keep(record) }
        try writeCauses()
        if let closing { try closeFigures(closing) }
        try touchSession(trouble: trouble)
      }
    } catch {
      state = before
      // The rows of this transaction do not exist.
      stacks.removeAll()
      throw error
    }
    waiting.removeAll(keepingCapacity: waiting.capacity <= Self.keptCapacity)
    guard let closing else { return }
    if closing == .full { closingNs = nil } else { openFigures() }
    live.restart()
  }

  /// A heap that grows and shrinks locks the program's address space.
  private static let keptCapacity = 4_096

  private func closeFigures(_ closing: Closing) throws(SQLiteFailure) {
    let cut = closing == .full ? nil : cut
    let figures = state.liveFigures(within: cut)
    let number = try statements.figures.put(
      figures.joined(on: grids.time), session: session, metricLength: grids.metrics.length)
    state.close(figures, within: cut, number: number)
    if figures.modes.count < cellLimit.fewModes { state.isCrowded = false }
    state.forgetStalls(before: state.lastSeenNs.since(2 * grids.metrics.length))
  }

  /// What a closing of full windows brings in. Windows of metrics begin where others end, so that the one that has just
  /// begun stays; windows of time stay while a stall may still follow. Timers' ledgers come as seldom as windows of
  /// metrics do: each closing rewrites the rows of all of them.
  private var cut: FigureCut {
    let windows = state.isCrowded ? grids.crowdedMetricWindows : 1
    let timersDue = state.timersFromNs.saturatingAdd(grids.metrics.length.saturatingMultiply(by: windows))
    return FigureCut(
      timeEnd: state.lastSeenNs.since(cellLimit.reach), metricEnd: state.lastSeenNs,
      hasTimers: state.lastSeenNs >= timersDue)
  }

  /// Writes a loop's figures before its end, which takes it from the live region.
  func closeFigures(of loop: LoopID) throws(SQLiteFailure) {
    let modes = (state.loops[loop]?.modes ?? []).compactMap {
      state.figures(of: WriterState.ModeKey(loop: loop, index: $0))
    }
    try statements.figures.put(modes, session: session, number: &state.windowsWritten)
    for timer in state.loops[loop]?.timers ?? [] { try closeFigures(of: timer) }
    if let ticks = state.ticks(of: loop) {
      try statements.figures.put(ticks, session: session, number: &state.windowsWritten)
    }
  }

  /// Writes a timer's figures before its end.
  func closeFigures(of timer: TimerID) throws(SQLiteFailure) {
    guard state.grownTimers.contains(timer), let figures = state.figures(of: timer) else { return }
    let time = TimerGrowth.Time(from: state.timersFromNs, until: state.lastSeenNs, windowLength: grids.metrics.length)
    try statements.figures.put(figures, session: session, in: time, number: &state.windowsWritten)
  }

  /// Shows the figures in the live region. Closes them instead when they are too many for it.
  func show(trouble: String?) throws(SQLiteFailure) {
    if !live.show(&state) { try commit(closing: .full, trouble: trouble) }
  }

  /// Marks the session as ended in order. Changes one row in place, for which even a full disk has room.
  func finish(endedNs: Nanoseconds, trouble: String?) throws(SQLiteFailure) {
    state.see(endedNs)
    try connection.write { () throws(SQLiteFailure) in
      try touchSession(trouble: trouble)
      try connection.run("UPDATE sessions SET ended = 'clean' WHERE id = \(session)")
    }
    live.remove()
  }

  /// Cancels the stalls whose ends were lost: their lengths are unknown. A reader treats them so in any case.
  func cancelOpenStalls() throws(SQLiteFailure) {
    try connection.write { () throws(SQLiteFailure) in
      for stall in state.openStalls.values {
        try StallCompletion(
          row: stall.row, state: .cancelled, duration: state.lastSeenNs.since(stall.startedNs),
          reason: StallCompletion.endUnknown
        ).write(by: statements.completeStall)
      }
    }
  }

  /// Frees room on a full disk.
  func makeRoom() { WritableStore.rewindLog(connection) }

  /// Whether the written file still stands at its path; also true where the system does not report it.
  var isInPlace: Bool {
    guard let file else { return true }
    guard let now = FileStatus(path: connection.path, followingLinks: false) else { return errno != ENOENT }
    return now.isSameFile(as: file)
  }

  /// Leaves a single file if no other connection has the store open. The writer cannot be used afterwards.
  ///
  /// If another store has taken its place meanwhile, the log beside that belongs to the other store.
  func fold() {
    if !isInPlace, FileStatus(path: connection.path, followingLinks: false) != nil {
      connection.leaveLog()
    } else {
      WritableStore.fold(connection)
    }
  }

  /// The number of the row inserted last.
  var insertedRow: Int64 { connection.lastInsertedRow }

  private func touchSession(trouble: String?) throws(SQLiteFailure) {
    let touch = statements.touchSession
    touch.bind(session, at: 1)
    touch.bind(state.lastSeenNs, at: 2)
    touch.bind(trouble, at: 3)
    touch.bind(state.closings, at: 4)
    try touch.run()
  }

  private static func insert(
    _ session: SessionRecord, windowLength: Nanoseconds, into connection: Connection
  ) throws(SQLiteFailure) -> Int64 {
    let insert = try connection.prepare(
      """
      INSERT INTO sessions (pid, process_start, boot_id, host, command, started_at, started_ns, threshold_ns, window_ns,
        origin, platform, last_seen_ns, service, release, environment, instance, program_build_id)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?7, ?12, ?13, ?14, ?15, ?16)
      """)
    insert.bind(Int64(session.process.pid), at: 1)
    insert.bind(session.process.startTime, at: 2)
    insert.bind(session.process.bootID, at: 3)
    insert.bind(session.process.host, at: 4)
    insert.bind(JSONText.array(session.command), at: 5)
    insert.bind(session.startedAt, at: 6)
    insert.bind(session.startedNs, at: 7)
    insert.bind(session.threshold, at: 8)
    insert.bind(windowLength, at: 9)
    insert.bind(session.origin, at: 10)
    insert.bind(session.platform, at: 11)
    for (place, name) in SessionLabels.Name.allCases.enumerated() {
      insert.bind(session.labels[name], at: 12 + Int32(place))
    }
    insert.bind(session.programBuildID, at: 16)
    try insert.run()
    let row = connection.lastInsertedRow
    guard !session.labels.tags.isEmpty else { return row }
    let tag = try connection.prepare("INSERT INTO tags (session, name, value) VALUES (?1, ?2, ?3)")
    for (name, value) in session.labels.tags.sorted(by: { $0.key < $1.key }) {
      tag.bind(row, at: 1)
      tag.bind(name, at: 2)
      tag.bind(value, at: 3)
      try tag.run()
    }
    return row
  }
}

extension StoreWriter {
  /// Which figures come into the store with a transaction.
  enum Closing {
    /// Those whose windows are full, and all sums.
    case fullWindows
    /// All of them.
    case full
  }
}

extension Record {
  /// Whether it is the growth of figures, which the live region keeps until a closing.
  var isFigure: Bool {
    switch self {
    case .profile, .driftTick, .health: true
    case .loopProgress(let progress): progress.endedNs == nil
    case .timerDelta(let delta): !delta.isLast
    default: false
    }
  }
}

extension Record {
  /// Whether it is the last record of a flush: each hands on the monitor's own figures at its end.
  var endsFlush: Bool {
    if case .health = self { true } else { false }
  }
}

extension WriterState {
  /// Makes room for the figures of a loop, mode or timer whose record waits for its transaction.
  fileprivate mutating func expect(_ record: Record) {
    switch record {
    case .loop(let loop):
      if loops[loop.id] == nil { loops[loop.id] = Loop() }
    case .mode(let mode):
      let key = ModeKey(loop: mode.loop, index: mode.index)
      guard loops[mode.loop] != nil, modes[key] == nil else { return }
      modes[key] = Mode()
      loops[mode.loop]?.modes.append(mode.index)
    case .timer(let timer):
      if timers[timer.id] == nil {
        add(Timer(loop: timer.loop), as: timer.id)
      } else {
        // Its drops by mode come as places in the mode table of the loop that serves it now.
        move(timer.id, to: timer.loop)
        timers[timer.id]?.figures.endedNs = nil
      }
    default: break
    }
  }

  /// Forgets a loop, mode or timer whose record is given up: its figures have no row, and count as lost from now on.
  fileprivate mutating func expectNoLonger(_ record: Record) {
    switch record {
    case .loop(let loop) where loops[loop.id]?.row == nil: forget(loop.id)
    case .mode(let mode):
      let key = ModeKey(loop: mode.loop, index: mode.index)
      if modes[key]?.row == nil {
        modes[key] = nil
        loops[mode.loop]?.modes.removeAll { $0 == mode.index }
      }
    case .timer(let timer) where timers[timer.id]?.row == nil: forget(timer.id)
    default: break
    }
  }
}
