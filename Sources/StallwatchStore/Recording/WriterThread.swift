import CStallwatch
import StallwatchCore
import Synchronization

/// The thread that opens the store, writes batches until the queue is closed, and closes the store. All of SQLite's
/// work is done here, so that no thread of the program does any. Records may come before the store is open.
final class WriterThread: Sendable {
  /// Figures that any thread may read at any time.
  final class Progress: Sendable {
    let cpu = Atomic<Nanoseconds>(0)
    /// What flushes took of it, without transactions.
    let flushCPU = Atomic<Nanoseconds>(0)
    let trouble = Mutex(WriterTrouble())
  }

  private enum Stage {
    /// The reason is why the last try failed.
    case opening(StoreError?)
    case open
    case refused(StoreError)
    /// The caller no longer waits for the opening.
    case givenUp
    case over
  }

  let progress = Progress()
  private let path: String
  private let session: SessionRecord
  private let configuration: StoreRecorder.Configuration
  private let queue: RecordQueue
  private let stage = Condition(Stage.opening(nil))
  private let endedNs = Mutex<Nanoseconds?>(nil)
  private let opened: (@Sendable (StoreError?) -> Void)?
  private static let firstPause = 10 * Nanoseconds.millisecond

  /// - Parameter opened: Called on this thread when the store is open, or with the reason why it cannot be.
  init(
    path: String, session: SessionRecord, configuration: StoreRecorder.Configuration, queue: RecordQueue,
    opened: (@Sendable (StoreError?) -> Void)?
  ) {
    self.path = path
    self.session = session
    self.configuration = configuration
    self.queue = queue
    self.opened = opened
  }

  /// Starts the thread. Waits until the store is open, unless there is an `opened`. Throws if that fails.
  func start() throws(StoreError) {
    guard DetachedThread.start(named: "stallwatch-store", { self.run() }) else {
      throw .failed(path: path, detail: "the system gave no thread to write it; raise the limit of processes")
    }
    if opened != nil { return }
    let deadline = monotonicNow() + configuration.openTimeout
    let outcome = stage.wait(until: deadline) { stage -> Stage? in
      if case .opening = stage { nil } else { stage }
    }
    switch outcome {
    case .refused(let error): throw error
    case .some: return
    case nil: throw giveUpOpening()
    }
  }

  /// The caller waits for the opening no longer. Returns why.
  private func giveUpOpening() -> StoreError {
    var reason: StoreError?
    stage.change { stage in
      if case .opening(let failure) = stage { reason = failure }
      stage = .givenUp
      return false
    }
    return reason ?? .failed(path: path, detail: "the disk does not answer; choose another path")
  }

  /// Sets the moment at which the session ends; the first call counts.
  func end(at moment: Nanoseconds) { endedNs.withLock { $0 = $0 ?? moment } }

  /// Waits until the store is closed or cannot be opened. If it is still open at the deadline, notes that as trouble:
  /// its end is not written.
  func wait(until deadline: Nanoseconds) {
    let isClosed = stage.wait(until: deadline) { stage -> Bool? in
      switch stage {
      case .over, .refused: true
      default: nil
      }
    }
    guard isClosed == nil, stage.withLock({ if case .open = $0 { true } else { false } }) else { return }
    progress.trouble.withLock { $0.isUnfinished = true }
  }

  private func run() {
    // If a thread loses its processor while it holds CoreFoundation's lock, many others spin for it.
    stallwatch_interrupt_nobody()
    stallwatch_reserve_heap()
    do {
      let writer = try open()
      if announceOpen() { serve(writer) }
      finish(writer)
    } catch {
      refuse(error)
      return
    }
    // The writer is released by now, and the connection with it.
    progress.trouble.withLock { $0.isUnfinished = false }
    stage.change {
      $0 = .over; return true
    }
  }

  /// Opens the store. While other programs have it locked, for example many that open it at the same moment on a slow
  /// disk, tries again until the caller or the session has ended its wait. Meanwhile the records wait in the queue.
  private func open() throws(StoreError) -> StoreWriter {
    while true {
      do throws(StoreError) {
        return try StoreWriter(path: path, session: session, configuration: configuration)
      } catch {
        guard case .busy = error, isStillWanted(despite: error), queue.pause(Self.firstPause) else { throw error }
      }
    }
  }

  /// Notes why a try to open the store failed. Returns false when the caller no longer waits for it.
  private func isStillWanted(despite error: StoreError) -> Bool {
    progress.trouble.withLock { $0.note(error) }
    var isWanted = true
    stage.change { stage in
      if case .givenUp = stage { isWanted = false } else { stage = .opening(error) }
      return false
    }
    return isWanted
  }

  /// Notes that nothing can be written: the waiting records are given up, and no caller waits for them.
  private func refuse(_ error: StoreError) {
    progress.trouble.withLock { $0.note(error) }
    // First, because a process that ends waits for the rest, and is gone then.
    opened?(error)
    queue.giveUp()
    stage.change {
      $0 = .refused(error); return true
    }
  }

  /// Returns false when the caller no longer waits for the store.
  private func announceOpen() -> Bool {
    progress.trouble.withLock { $0.isFailing = false }
    var isWanted = true
    stage.change { stage in
      if case .givenUp = stage { isWanted = false } else { stage = .open }
      return true
    }
    opened?(nil)
    return isWanted
  }

  private func serve(_ writer: StoreWriter) {
    var schedule = CommitSchedule(configuration)
    // Entries of the queue that are neither written nor given up.
    var unfinished = 0
    var turn = TendingTurn()
    var releases = MemoryReleases()
    // What the opening took is no flush's.
    noteCPU()
    tend(writer, &turn)
    releases.noteWriting(at: monotonicNow())
    while var batch = queue.nextBatch(wakingAt: wakeNs(writer, schedule, releases)) {
      // Otherwise the queue would fill up on a machine where many threads compute.
      stallwatch_come_first(queue.isCrowded(by: batch))
      let now = monotonicNow()
      schedule.add(batch.records, at: now)
      unfinished += batch.count
      note(refused: batch.records.refusedRecords)
      writer.take(batch.records)
      let isDue = schedule.dueNs.map { $0 <= now } ?? false
      let isClosing = writer.isClosingDue || batch.endedNs != nil
      // First, because a commit may wait for the disk. The live region shows nothing but figures.
      if !isClosing, batch.records.contains(where: \.isFigure) { show(writer) }
      noteFlush()
      let commits = isDue || isClosing || batch.isAwaited && writer.hasWaiting
      if commits {
        schedule.commit(at: now)
        commit(writer, closing: batch.endedNs != nil ? .full : isClosing ? .fullWindows : nil)
        releases.noteWriting(at: now)
      }
      if let moment = batch.endedNs {
        writeLastWords(by: writer, endedNs: moment)
      } else if isClosing {
        show(writer)
      }
      if commits { noteCPU() }
      queue.reuse(&batch)
      if !writer.hasWaiting {
        queue.finish(unfinished)
        unfinished = 0
      }
      if isClosing {
        turn.isDue = true
        releases.owe()
      }
      tend(writer, &turn)
      if queue.isIdle, !writer.hasWaiting, releases.release(writer, at: monotonicNow()) { noteCPU() }
    }
  }

  /// When there is something to do even if no record comes; nil: nothing. Memory is not released while records wait for
  /// their transaction.
  private func wakeNs(_ writer: StoreWriter, _ schedule: CommitSchedule, _ releases: MemoryReleases) -> Nanoseconds? {
    schedule.dueNs ?? (writer.hasWaiting || writer.connection.isReleased ? nil : releases.dueNs)
  }

  /// Keeps the store within its limits while no record waits. What fails now is tried after the next closing.
  private func tend(_ writer: StoreWriter, _ turn: inout TendingTurn) {
    guard writer.tending != nil, turn.isOpen else { return }
    do throws(SQLiteFailure) {
      try turn.goOn(writer) { queue.isIdle && !writer.hasWaiting }
    } catch {
      if !error.mayPass { progress.trouble.withLock { $0.note(error) } }
    }
    noteCPU()
  }

  /// Notes what the thread has used so far. A system call, and so not made more often than needed.
  private func noteCPU() { progress.cpu.store(threadCPUNow(), ordering: .relaxed) }

  /// Notes that a flush is done: what the thread has used since it last did anything, waking included, was for it.
  private func noteFlush() {
    let before = progress.cpu.load(ordering: .relaxed)
    noteCPU()
    progress.flushCPU.wrappingAdd(progress.cpu.load(ordering: .relaxed).since(before), ordering: .relaxed)
  }

  /// Returns whether everything was written.
  @discardableResult
  private func commit(_ writer: StoreWriter, closing: StoreWriter.Closing?) -> Bool {
    let isWritten = attempt(with: writer) { () throws(SQLiteFailure) in
      try writer.commit(closing: closing, trouble: progress.trouble.withLock { $0.text })
    }
    let isInPlace = writer.isInPlace
    let given = isWritten ? nil : writer.giveUpWaiting(figures: closing != nil)
    progress.trouble.withLock { trouble in
      trouble.isStoreGone = !isInPlace
      if let given { trouble.giveUp(given.records, unreported: given.losses) }
    }
    return isWritten
  }

  /// Shows the figures in the live region. Without one, a sudden death costs what came since the last closing.
  private func show(_ writer: StoreWriter) {
    _ = attempt(with: writer) { () throws(SQLiteFailure) in
      try writer.show(trouble: progress.trouble.withLock { $0.text })
    }
    progress.trouble.withLock { $0.live = writer.live.trouble }
  }

  /// Notes how many records were refused before a batch, which its last record reports.
  private func note(refused: UInt64) {
    guard refused > 0 else { return }
    progress.trouble.withLock { $0.lost = $0.lost.saturatingAdd(refused) }
  }

  private func writeLastWords(by writer: StoreWriter, endedNs: Nanoseconds) {
    _ = attempt(with: writer) { () throws(SQLiteFailure) in
      try writer.finish(endedNs: endedNs, trouble: progress.trouble.withLock { $0.text })
    }
  }

  private func finish(_ writer: StoreWriter) {
    let ended = endedNs.withLock { $0 } ?? writer.state.lastSeenNs
    // With everything in the store, nobody needs the live region any longer, whatever it lacked.
    if commit(writer, closing: .full) { progress.trouble.withLock { $0.live = nil } }
    let unreported = progress.trouble.withLock { $0.unreported }
    if unreported > 0 {
      writer.take([.loss(LossRecord(what: "records", loop: nil, count: unreported))])
      // A new row, for which a full disk may have no room; the session's end below changes an existing one.
      try? writer.commit(closing: nil, trouble: progress.trouble.withLock { $0.text })
    }
    writeLastWords(by: writer, endedNs: ended)
    let isInPlace = writer.isInPlace
    progress.trouble.withLock { $0.isStoreGone = !isInPlace }
    if !writer.state.openStalls.isEmpty { try? writer.cancelOpenStalls() }
    writer.fold()
    noteCPU()
  }

  /// Tries until it succeeds, with growing pauses. False when it cannot succeed, or the time to close has run out.
  private func attempt(with writer: StoreWriter, _ body: () throws(SQLiteFailure) -> Void) -> Bool {
    var pause = Self.firstPause
    while true {
      do {
        try body()
        progress.trouble.withLock { $0.isFailing = false }
        return true
      } catch {
        progress.trouble.withLock { $0.note(error) }
        if error.isFullDisk { writer.makeRoom() }
        guard error.mayPass, queue.pause(pause) else { return false }
        // A thread that waits longer each time for a lock that others take in turn never gets it.
        pause = error.isLocked ? Self.firstPause : min(pause * 2, configuration.longestRetryPause)
      }
    }
  }
}

extension [Record] {
  /// How many records were refused before this batch, as its last record reports.
  fileprivate var refusedRecords: UInt64 {
    guard case .loss(let loss) = last, loss.what == "records", loss.loop == nil else { return 0 }
    return loss.count
  }
}
