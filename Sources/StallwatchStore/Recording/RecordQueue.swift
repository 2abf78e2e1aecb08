import StallwatchCore

/// The records that the writing thread takes at one time. It may be empty: then the time to write earlier ones has come.
struct Batch {
  var records: [Record] = []
  /// The moment at which the session ends, if the session's end is to be written after the records.
  var endedNs: Nanoseconds?
  /// Whether a thread waits until everything is written.
  var isAwaited = false

  /// How many entries of the queue it stands for; the session's end counts as one.
  var count: Int { records.count + (endedNs == nil ? 0 : 1) }
}

/// The bounded queue from the threads that offer records to the one that writes them. Any thread may offer.
final class RecordQueue: Sendable {
  private struct State {
    var records: [Record] = []
    /// An empty array with room for the next records, from a batch that was written.
    var spare: [Record] = []
    /// How many frames the stacks of these records have.
    var frames = 0
    /// How many records were ever taken, and how many of these are written or given up.
    var taken: UInt64 = 0
    var finished: UInt64 = 0
    /// How many records were refused since the last batch.
    var refused: UInt64 = 0
    /// Whether a thread waits until everything is written.
    var isAwaited = false
    /// The moment at which the session ended, while that is to be written after the waiting records.
    var endedNs: Nanoseconds?
    /// The moment at which the writer must have given up; closing sets it once.
    var deadline: Nanoseconds?
  }

  private let state = Condition(State())
  private let capacity: Int
  private let frameCapacity: Int
  private let crowd: Int

  init(configuration: StoreRecorder.Configuration) {
    capacity = max(configuration.queueCapacity, 1)
    frameCapacity = configuration.frameCapacity
    crowd = configuration.crowd
  }

  /// Takes a record, or refuses it and counts it if that is a loss. Never waits for the disk: the lock is held only for
  /// an append or a swap.
  func offer(_ record: Record) -> Bool {
    let frames = record.frameCount
    var taken = true
    state.change { state in
      let hasRoom =
        state.records.count < capacity + (record.hasReserve ? reserve : 0)
        && (frames == 0 || state.frames + frames <= frameCapacity)
      guard state.deadline == nil, hasRoom else {
        if !record.isOfferedAgain { state.refused += 1 }
        taken = false
        return false
      }
      state.records.append(record)
      state.frames += frames
      state.taken += 1
      // Growth waits for the end of its flush, so that one waking serves all of it.
      return !record.isFigure || record.endsFlush || state.records.count == crowd
    }
    return taken
  }

  /// Waits for records, or until `deadline`. Without either it sleeps without any wake-up. Nil when the queue is closed
  /// and empty.
  func nextBatch(wakingAt deadline: Nanoseconds? = nil) -> Batch? {
    let isClosed = state.wait(until: deadline) { state -> Bool? in
      if state.deadline != nil { return state.records.isEmpty && state.endedNs == nil }
      return state.records.isEmpty && state.endedNs == nil && !state.isAwaited ? nil : false
    }
    if isClosed == true { return lastBatch() }
    return takeAll()
  }

  /// Everything that waits.
  private func takeAll() -> Batch {
    state.withLock { state in
      var batch = Batch(endedNs: state.endedNs, isAwaited: state.isAwaited)
      swap(&batch.records, &state.records)
      swap(&state.records, &state.spare)
      state.frames = 0
      state.endedNs = nil
      state.isAwaited = false
      if state.refused > 0 {
        batch.records.append(.loss(LossRecord(what: "records", loop: nil, count: state.refused)))
        state.taken += 1
        state.refused = 0
      }
      return batch
    }
  }

  /// What is left of a closed queue without records: at most how many were refused.
  private func lastBatch() -> Batch? {
    let batch = takeAll()
    return batch.records.isEmpty ? nil : batch
  }

  /// Whether nothing waits, neither records nor a thread, and the queue is open.
  var isIdle: Bool {
    state.withLock { $0.records.isEmpty && $0.endedNs == nil && !$0.isAwaited && $0.deadline == nil }
  }

  /// Whether the size of `batch` shows that the writer falls behind.
  func isCrowded(by batch: Batch) -> Bool { batch.count >= crowd }

  /// Takes back the room of a batch for reuse, unless that is more than most batches need: a heap that grows and shrinks
  /// locks the program's address space.
  func reuse(_ batch: inout Batch) {
    batch.records.removeAll(keepingCapacity: batch.records.capacity <= 2 * crowd)
    state.withLock { state in
      if batch.records.capacity > state.spare.capacity { swap(&batch.records, &state.spare) }
    }
  }

  /// Marks `count` entries as written or given up.
  func finish(_ count: Int) {
    guard count > 0 else { return }
    state.change { state in
      state.finished += UInt64(count)
      return true
    }
  }

  /// Waits until all records taken so far are written or given up, at most `timeout`. Returns whether they are.
  func waitUntilWritten(timeout: Nanoseconds) -> Bool {
    var goal: UInt64 = 0
    state.change { state in
      goal = state.taken
      state.isAwaited = true
      return true
    }
    return state.wait(until: monotonicNow() + timeout) { $0.finished >= goal ? true : nil } ?? false
  }

  /// Asks for the session's end to be written after all records taken so far, and waits until they are written or given
  /// up, at most `timeout`. Returns whether they are.
  func settle(endedNs: Nanoseconds, timeout: Nanoseconds) -> Bool {
    state.change { state in
      // The session's end counts as one more record. A queue that was given up takes none.
      if state.deadline != nil { return false }
      if state.endedNs == nil { state.taken += 1 }
      state.endedNs = endedNs
      return true
    }
    return waitUntilWritten(timeout: timeout)
  }

  /// Refuses records from now on. The writer must be done by `deadline`.
  func close(deadline: Nanoseconds) {
    state.change { state in
      if state.deadline == nil { state.deadline = deadline }
      return true
    }
  }

  /// Refuses records from now on, and drops the waiting ones, which cannot be written.
  func giveUp() {
    state.change { state in
      state.records = []
      state.frames = 0
      state.endedNs = nil
      state.finished = state.taken
      state.deadline = state.deadline ?? 0
      return true
    }
  }

  /// Sleeps for `duration`.
  func rest(_ duration: Nanoseconds) { _ = state.wait(until: monotonicNow() + duration) { _ in nil as Bool? } }

  /// Sleeps for `duration` before another try. Returns false when the queue is closed and its deadline leaves no time.
  func pause(_ duration: Nanoseconds) -> Bool {
    let end = monotonicNow() + duration
    // A closing meanwhile ends the pause, so that the last tries come at once.
    _ = state.wait(until: end) { $0.deadline == nil ? nil : true }
    guard let deadline = state.withLock({ $0.deadline }) else { return true }
    guard monotonicNow() + Self.lastPause < deadline else { return false }
    rest(Self.lastPause)
    return true
  }

  /// The pause between tries during closing.
  private static let lastPause = 20 * Nanoseconds.millisecond

  /// Room beyond the capacity for the few records that others depend on.
  private var reserve: Int { max(capacity / 8, 16) }
}

extension Record {
  /// How many frames its stacks have; they make samples larger than other records.
  fileprivate var frameCount: Int {
    switch self {
    case .samples(let reported):
      reported.samples.reduce(0) { $0 + $1.frames.count + ($1.blockedOn?.owner?.frames.count ?? 0) }
    case .profiledStack(let seen): seen.frames.count
    default: 0
    }
  }

  /// Whether it may use the reserve. A lost loop or mode loses all its figures, a lost image all its names; a stall
  /// whose end is lost never ends; a lost loss would be silent.
  fileprivate var hasReserve: Bool {
    switch self {
    case .loop, .mode, .image, .stallEnded, .loss: true
    default: false
    }
  }
}
