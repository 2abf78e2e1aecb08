import StallwatchCore
import Synchronization

/// Keeps a session's records in a store: a bounded queue, and one thread that writes.
///
/// Whoever calls ``take(_:)`` never waits for the disk. A disk that is slow, full or failing costs records, which are
/// counted, and nothing else: tries are repeated with growing pauses, memory stays bounded, and ``trouble`` says what
/// happened. The thread sleeps without any wake-up while there is nothing to write, and takes no signals.
public final class StoreRecorder: Recorder {
  private let queue: RecordQueue
  private let thread: WriterThread
  private let closeTimeout: Nanoseconds
  private let isAbandoned = Atomic<Bool>(false)

  /// Opens the store at `path` or makes one (mode 0600, symbolic links refused), brings it up to date, completes what
  /// dead processes left in it, and begins a session. Returns within the configuration's `openTimeout`, about. Throws
  /// ``StoreError``.
  ///
  /// - Parameter opened: If given, nobody waits for the store: this returns at once, records are taken from now on, and
  ///   `opened` is called on the recorder's thread when the store is open, or with the reason why it cannot be.
  public init(
    path: String, session: SessionRecord, configuration: Configuration = Configuration(),
    opened: (@Sendable (StoreError?) -> Void)? = nil
  ) throws {
    queue = RecordQueue(configuration: configuration)
    closeTimeout = configuration.closeTimeout
    thread = WriterThread(path: path, session: session, configuration: configuration, queue: queue, opened: opened)
    try thread.start()
  }

  /// Closes in the background what was not closed.
  deinit {
    if !isAbandoned.load(ordering: .relaxed) { queue.close(deadline: monotonicNow() + closeTimeout) }
  }

  /// Takes a record, to be written by the recorder's own thread. Refuses it when the queue is full, and counts that as a
  /// loss, but for profiles, loop progress and losses: they are growing figures, to be offered again.
  @discardableResult
  public func take(_ record: Record) -> Bool {
    guard !isAbandoned.load(ordering: .relaxed) else { return false }
    return queue.offer(record)
  }

  /// Writes what was taken, marks the session as ended in order at `endedNs`, and closes the store. Returns when that is
  /// done or the configuration's `closeTimeout` has passed; what is not written by then is lost. Records are refused from
  /// now on. A second call does nothing.
  ///
  /// The store is left as a single file unless another process has it open, be it to read; then whoever writes it next
  /// sees to that.
  public func close(endedNs: Nanoseconds) {
    guard !isAbandoned.load(ordering: .relaxed) else { return }
    let now = monotonicNow()
    thread.end(at: endedNs)
    // Half of the time is for what waits, the other half for the last words and the closing itself.
    queue.close(deadline: now + closeTimeout / 2)
    thread.wait(until: now + closeTimeout)
  }

  /// Writes what was taken, and marks the session as ended in order at `endedNs`, which is taken back if anything is
  /// written later; nil leaves it open, for a process that is about to be killed. Returns when that is done or the
  /// configuration's `closeTimeout` has passed. For a process that is about to end and may not have the time to close the
  /// store, or may go on.
  public func settle(endedNs: Nanoseconds?) {
    guard !isAbandoned.load(ordering: .relaxed) else { return }
    guard let endedNs else {
      _ = queue.waitUntilWritten(timeout: closeTimeout)
      return
    }
    _ = queue.settle(endedNs: endedNs, timeout: closeTimeout)
  }

  /// Makes this object inert in a child process made by fork: the thread is not there, and the open store is the
  /// parent's. The child must call nothing else of it before.
  public func abandonAfterFork() { isAbandoned.store(true, ordering: .relaxed) }

  /// CPU time that the writing thread has used, as of its last batch.
  public var threadCPU: Nanoseconds { thread.progress.cpu.load(ordering: .relaxed) }

  /// What keeps records from being written, or made some of them lost; nil when all is well. Also stored with the session
  /// as soon as anything can be.
  public var trouble: String? { thread.progress.trouble.withLock { $0.text } }

  /// The trouble of a store that was removed, moved or replaced: what is written still goes there, where nobody finds it.
  public static let storeIsGone = "the store was removed, moved or replaced while it was written"

  /// Waits until what was taken so far is on disk, at most `timeout`. True when it is.
  func flush(timeout: Nanoseconds) -> Bool { queue.waitUntilWritten(timeout: timeout) }
}
