import StallwatchCore
import Synchronization

/// Keeps a session's records in a store, with a bounded queue and one thread that writes.
///
/// A caller of ``take(_:)`` never waits for the disk. A slow, full or failing disk costs records, which are counted,
/// and nothing else: the thread retries with growing pauses, memory stays bounded, and ``trouble`` reports what
/// happened. The thread sleeps without any wake-up while there is nothing to write, and takes no signals.
package final class StoreRecorder: Recorder {
  private let queue: RecordQueue
  private let thread: WriterThread
  private let closeTimeout: Nanoseconds
  private let isAbandoned = Atomic<Bool>(false)

  /// Opens the store at `path` or makes one (mode 0600, symbolic links refused), brings it up to date, completes what
  /// dead processes left in it, and begins a session. Returns within the configuration's `openTimeout`. Throws
  /// ``StoreError``.
  ///
  /// - Parameter opened: If given, this returns at once and takes records from then on, without waiting for the store.
  ///   The recorder's thread calls `opened` when the store is open, or with the reason why it cannot be.
  package init(
    path: String, session: SessionRecord, configuration: Configuration = Configuration(),
    opened: (@Sendable (StoreError?) -> Void)? = nil
  ) throws {
    queue = RecordQueue(configuration: configuration)
    closeTimeout = configuration.closeTimeout
    thread = WriterThread(path: path, session: session, configuration: configuration, queue: queue, opened: opened)
    try thread.start()
  }

  /// Closes the store in the background if nobody closed it.
  deinit {
    if !isAbandoned.load(ordering: .relaxed) { queue.close(deadline: monotonicNow() + closeTimeout) }
  }

  /// Takes a record for the recorder's own thread to write. Any thread. When the queue is full, refuses it and counts a
  /// loss, unless the caller keeps it to offer again (``Record/isOfferedAgain``).
  @discardableResult
  package func take(_ record: Record) -> Bool {
    guard !isAbandoned.load(ordering: .relaxed) else { return false }
    return queue.offer(record)
  }

  /// Writes the records taken, marks the session as ended in order at `endedNs`, and closes the store. Returns when
  /// that is done, or when the configuration's `closeTimeout` has passed; records not written by then are lost. Refuses
  /// records from now on. A second call does nothing.
  ///
  /// Leaves the store as a single file, unless another process has it open, even for reading; then the next writer does
  /// so.
  package func close(endedNs: Nanoseconds) {
    guard !isAbandoned.load(ordering: .relaxed) else { return }
    let now = monotonicNow()
    thread.end(at: endedNs)
    // Half of the time is for the waiting records, the other half for the session's end and the closing itself.
    queue.close(deadline: now + closeTimeout / 2)
    thread.wait(until: now + closeTimeout)
  }

  /// Writes the records taken, and marks the session as ended in order at `endedNs`; later records take that mark back.
  /// Nil leaves the session open, for a process about to be killed. Returns when that is done, or when the
  /// configuration's `closeTimeout` has passed. For a process that is about to end without time to close the store, or
  /// that may go on.
  package func settle(endedNs: Nanoseconds?) {
    guard !isAbandoned.load(ordering: .relaxed) else { return }
    guard let endedNs else {
      _ = queue.waitUntilWritten(timeout: closeTimeout)
      return
    }
    _ = queue.settle(endedNs: endedNs, timeout: closeTimeout)
  }

  /// Makes this object inert in a child process made by fork: the thread does not exist there, and the open store is
  /// the parent's. The child must call this before anything else of it.
  package func abandonAfterFork() { isAbandoned.store(true, ordering: .relaxed) }

  /// The CPU time that the writing thread had used at its last batch.
  package var cost: RecorderCost {
    RecorderCost(
      cpu: thread.progress.cpu.load(ordering: .relaxed), flushCPU: thread.progress.flushCPU.load(ordering: .relaxed))
  }

  /// What keeps records from being written, or made some of them lost, in words; nil when all is well. The session's
  /// row has it too, as soon as anything can be written.
  package var trouble: String? { thread.progress.trouble.withLock { $0.text } }

  /// The trouble of a store that was removed, moved or replaced: records still go there, where nobody finds them.
  package static let storeIsGone = "the store was removed, moved or replaced while it was written"

  /// Waits until all records taken so far are on disk, at most `timeout`. Returns whether they are.
  func flush(timeout: Nanoseconds) -> Bool { queue.waitUntilWritten(timeout: timeout) }
}
