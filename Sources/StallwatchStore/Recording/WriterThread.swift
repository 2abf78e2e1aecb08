import CStallwatch
import StallwatchCore
import Synchronization

/// The thread that opens the store, writes batches until the queue is closed, and closes the store. All of SQLite's
/// work is done here, so that nothing of it is done on a thread of the program. Records may come before the store is open.
final class WriterThread: Sendable {
  /// Figures that others may read at any time.
  final class Progress: Sendable {
    let cpu = Atomic<Nanoseconds>(0)
    let trouble = Mutex(WriterTrouble())
  }

  private enum Stage {
    case opening
    case open
    case refused(StoreError)
    /// Nobody waits for the opening any more.
    case givenUp
    case over
  }

  let progress = Progress()
  private let path: String
  private let session: SessionRecord
  private let configuration: StoreRecorder.Configuration
  private let queue: RecordQueue
  private let stage = Condition(Stage.opening)
  private let endedNs = Mutex<Nanoseconds?>(nil)
  private let opened: (@Sendable (StoreError?) -> Void)?
  private static let firstPause = 10 * Nanoseconds.millisecond

  /// - Parameter opened: Called on the thread when the store is open, or why it cannot be.
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

  /// Starts the thread. Waits until the store is open, unless `opened` was given.
  func start() throws(StoreError) {
    guard DetachedThread.start(named: "stallwatch-store", { self.run() }) else {
      throw .failed(path: path, detail: "no thread can be made to write it; raise the limit of processes")
    }
    if opened != nil { return }
    let deadline = monotonicNow() + configuration.openTimeout
    let outcome = stage.wait(until: deadline) { stage -> Stage? in
      if case .opening = stage { nil } else { stage }
    }
    switch outcome {
    case .refused(let error): throw error
    case .some: return
    case nil:
      stage.change {
        $0 = .givenUp; return false
      }
      throw .failed(path: path, detail: "the disk does not answer; choose another path")
    }
  }

  /// Sets the moment at which the session ends.
  func end(at moment: Nanoseconds) { endedNs.withLock { $0 = $0 ?? moment } }

  /// Waits until the store is closed, or is known to stay shut. At the deadline an open one is in trouble: its end is not
  /// written.
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
    // A thread that loses its processor while it holds CoreFoundation's lock has many others spin for it.
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
    // The writer is released by now, and with it the connection.
    progress.trouble.withLock { $0.isUnfinished = false }
    stage.change {
      $0 = .over; return true
    }
  }

  /// Opens the store. While another program has it locked, as one that opens or closes it at the same moment may, it tries
  /// again until the time to open has run out.
  private func open() throws(StoreError) -> StoreWriter {
    let deadline = monotonicNow() + configuration.openTimeout
    while true {
      do throws(StoreError) {
        return try StoreWriter(
          path: path, session: session, configuration: configuration, timeout: deadline.since(monotonicNow()) / 5 * 4)
      } catch {
        guard case .busy = error, monotonicNow() + Self.firstPause < deadline else { throw error }
        queue.rest(Self.firstPause)
      }
    }
  }

  /// Nothing can be written: what waits is given up, and nobody waits for it.
  private func refuse(_ error: StoreError) {
    progress.trouble.withLock { $0.refuse(error) }
    // First: a process that ends waits for the rest, and is gone then.
    opened?(error)
    queue.giveUp()
    stage.change {
      $0 = .refused(error); return true
    }
  }

  /// False when nobody waits for the store any more.
  private func announceOpen() -> Bool {
    var isWanted = true
    stage.change { stage in
      if case .givenUp = stage { isWanted = false } else { stage = .open }
      return true
    }
    opened?(nil)
    return isWanted
  }

  private func serve(_ writer: StoreWriter) {
    while var batch = queue.nextBatch() {
      // Else the queue would fill up on a machine where many threads compute.
      stallwatch_come_first(queue.isCrowded(by: batch))
      if !batch.records.isEmpty { write(batch.records, by: writer) }
      if let moment = batch.endedNs { writeLastWords(by: writer, endedNs: moment) }
      progress.cpu.store(threadCPUNow(), ordering: .relaxed)
      queue.finish(&batch)
    }
  }

  private func write(_ records: [Record], by writer: StoreWriter) {
    let refused = records.refusedRecords
    let isWritten = attempt(with: writer) { () throws(SQLiteFailure) in
      try writer.write(records, trouble: progress.trouble.withLock { $0.text(afterLosing: refused) })
    }
    let isInPlace = writer.isInPlace
    progress.trouble.withLock { trouble in
      trouble.isStoreGone = !isInPlace
      trouble.lost += refused
      // The record that tells of the refused ones is not one of the program's.
      if !isWritten { trouble.giveUp(records.count - (refused > 0 ? 1 : 0), untold: refused) }
    }
  }

  private func writeLastWords(by writer: StoreWriter, endedNs: Nanoseconds) {
    _ = attempt(with: writer) { () throws(SQLiteFailure) in
      try writer.finish(endedNs: endedNs, trouble: progress.trouble.withLock { $0.text })
    }
  }

  private func finish(_ writer: StoreWriter) {
    let ended = endedNs.withLock { $0 } ?? writer.state.lastSeenNs
    let (untold, text) = progress.trouble.withLock { ($0.untold, $0.text) }
    // A new row, for which a full disk may have no room: the last words below change one that is there.
    if untold > 0 { try? writer.write([.loss(LossRecord(what: "records", loop: nil, count: untold))], trouble: text) }
    writeLastWords(by: writer, endedNs: ended)
    let isInPlace = writer.isInPlace
    progress.trouble.withLock { $0.isStoreGone = !isInPlace }
    if !writer.state.openStalls.isEmpty { try? writer.cancelOpenStalls() }
    writer.fold()
    progress.cpu.store(threadCPUNow(), ordering: .relaxed)
  }

  /// Tries until it succeeds, with growing pauses. False when it cannot succeed or the time to close has run out.
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
        // Who waits longer each time for a lock that others take by turns never gets it.
        pause = error.isLocked ? Self.firstPause : min(pause * 2, configuration.longestRetryPause)
      }
    }
  }
}

extension [Record] {
  /// How many records were refused before this batch, as it tells.
  fileprivate var refusedRecords: UInt64 {
    guard case .loss(let loss) = last, loss.what == "records", loss.loop == nil else { return 0 }
    return loss.count
  }
}
