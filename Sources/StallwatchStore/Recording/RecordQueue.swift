import StallwatchCore

/// What the writing thread takes at a time.
struct Batch {
  var records: [Record]
  /// Set when the last words are to follow: the moment at which the session ends.
  var endedNs: Nanoseconds?

  var isEmpty: Bool { records.isEmpty && endedNs == nil }
  /// How much of what was taken it is.
  var count: Int { records.count + (endedNs == nil ? 0 : 1) }
}

/// The bounded queue between whoever sees things and the one thread that writes them.
final class RecordQueue: Sendable {
  private struct State {
    var records: [Record] = []
    /// Room for the records that wait next, from a batch that is written.
    var spare: [Record] = []
    /// The frames of all stacks among them.
    var frames = 0
    /// Records ever taken, and those of them that are written or given up.
    var taken: UInt64 = 0
    var finished: UInt64 = 0
    /// Records refused since the last batch.
    var refused: UInt64 = 0
    /// Something waits that must be on disk soon.
    var isUrgent = false
    /// When the first of the waiting records came.
    var firstAt: Nanoseconds = 0
    /// When the last batch with something urgent in it was taken.
    var urgentTakenAt: Nanoseconds = 0
    /// Somebody waits until everything is written.
    var isAwaited = false
    /// The last words are to be written after what waits, the session having ended at this moment.
    var endedNs: Nanoseconds?
    /// Set once, by closing: the moment at which the writer must have given up.
    var deadline: Nanoseconds?
  }

  private let state = Condition(State())
  private let capacity: Int
  private let frameCapacity: Int
  private let gatherTime: Nanoseconds
  private let urgentPause: Nanoseconds

  init(configuration: StoreRecorder.Configuration) {
    capacity = max(configuration.queueCapacity, 1)
    frameCapacity = configuration.frameCapacity
    gatherTime = configuration.gatherTime
    urgentPause = configuration.urgentPause
  }

  /// Takes a record, or refuses it, and counts it if that is a loss. Never waits for the disk: the lock is held for an
  /// append or a swap.
  func offer(_ record: Record) -> Bool {
    let urgent = record.isUrgent
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
      if state.records.isEmpty { state.firstAt = monotonicNow() }
      state.records.append(record)
      state.frames += frames
      state.taken += 1
      let becameUrgent = urgent && !state.isUrgent
      if urgent { state.isUrgent = true }
      return state.records.count == 1 || becameUrgent || state.records.count == crowd
    }
    return taken
  }

  /// Waits for records, then for more of them until one is urgent, somebody waits for them, or the first has waited for the
  /// gather time. Urgent ones that come in a row are gathered too. Without records it sleeps without any wake-up. Nil when
  /// the queue is closed and empty.
  func nextBatch() -> Batch? {
    let moments = state.wait { state -> (first: Nanoseconds, urgent: Nanoseconds)?? in
      if state.deadline != nil || state.endedNs != nil { return .some(nil) }
      return state.records.isEmpty ? nil : (state.firstAt, state.urgentTakenAt)
    }
    if let moments = moments ?? nil {
      func cannotWait(_ state: State) -> Bool {
        state.deadline != nil || state.endedNs != nil || state.isAwaited || state.records.count >= crowd
      }
      _ = state.wait(until: moments.urgent + urgentPause) { cannotWait($0) ? true : nil }
      _ = state.wait(until: moments.first + gatherTime) { cannotWait($0) || $0.isUrgent ? true : nil }
    }
    return state.withLock { state in
      var batch = Batch(records: [], endedNs: state.endedNs)
      swap(&batch.records, &state.records)
      swap(&state.records, &state.spare)
      state.frames = 0
      state.endedNs = nil
      if state.isUrgent { state.urgentTakenAt = monotonicNow() }
      state.isUrgent = false
      state.isAwaited = false
      if state.refused > 0 {
        batch.records.append(.loss(LossRecord(what: "records", loop: nil, count: state.refused)))
        state.taken += 1
        state.refused = 0
      }
      return batch.isEmpty ? nil : batch
    }
  }

  /// Whether a batch says that the writer falls behind.
  func isCrowded(by batch: Batch) -> Bool { batch.count >= crowd }

  /// As many records as do not wait for others to be gathered.
  private var crowd: Int { max(capacity / 8, 1) }

  /// A batch is written or given up. Its room serves again, unless it is more than most batches need: a heap that grows and
  /// shrinks locks the program's address space.
  func finish(_ batch: inout Batch) {
    let count = batch.count
    batch.records.removeAll(keepingCapacity: batch.records.capacity <= 2 * crowd)
    state.change { state in
      state.finished += UInt64(count)
      if batch.records.capacity > state.spare.capacity { swap(&batch.records, &state.spare) }
      return true
    }
  }

  /// Waits until everything taken so far is written or given up, at most `timeout`. True when it is.
  func waitUntilWritten(timeout: Nanoseconds) -> Bool {
    var goal: UInt64 = 0
    state.change { state in
      goal = state.taken
      state.isAwaited = true
      return true
    }
    return state.wait(until: monotonicNow() + timeout) { $0.finished >= goal ? true : nil } ?? false
  }

  /// Asks for the last words after everything taken so far, and waits until they are written or given up, at most
  /// `timeout`. True when they are.
  func settle(endedNs: Nanoseconds, timeout: Nanoseconds) -> Bool {
    state.change { state in
      // They count as one more record. A queue that was given up takes none.
      if state.deadline != nil { return false }
      if state.endedNs == nil { state.taken += 1 }
      state.endedNs = endedNs
      return true
    }
    return waitUntilWritten(timeout: timeout)
  }

  /// Takes nothing more. The writer must be done by `deadline`.
  func close(deadline: Nanoseconds) {
    state.change { state in
      if state.deadline == nil { state.deadline = deadline }
      return true
    }
  }

  /// Takes nothing more, and drops what waits: it cannot be written.
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

  /// Lets `duration` pass.
  func rest(_ duration: Nanoseconds) { _ = state.wait(until: monotonicNow() + duration) { _ in nil as Bool? } }

  /// Lets `duration` pass before another try. False when the queue is closed and its deadline does not allow that.
  func pause(_ duration: Nanoseconds) -> Bool {
    let end = monotonicNow() + duration
    // A closing in the middle ends the pause: the last tries are made at once.
    _ = state.wait(until: end) { $0.deadline == nil ? nil : true }
    guard let deadline = state.withLock({ $0.deadline }) else { return true }
    guard monotonicNow() + Self.lastPause < deadline else { return false }
    rest(Self.lastPause)
    return true
  }

  /// The pause between tries while closing.
  private static let lastPause = 20 * Nanoseconds.millisecond

  /// Room beyond the capacity for the few records without which others that were taken make no sense.
  private var reserve: Int { max(capacity / 8, 16) }
}

extension Record {
  /// How many frames its stacks have: what makes samples larger than other records.
  fileprivate var frameCount: Int {
    switch self {
    case .samples(let told):
      told.samples.reduce(0) { $0 + $1.frames.count + ($1.blockedOn?.owner?.frames.count ?? 0) }
    case .profiledStack(let seen): seen.frames.count
    default: 0
    }
  }

  /// What a sudden death must not take along.
  fileprivate var isUrgent: Bool {
    switch self {
    case .stallBegan, .stallEnded: true
    default: false
    }
  }

  /// A loop or mode lost means all its figures lost, an image all its names; an end lost means a stall that never ends; a
  /// loss lost would be silent.
  fileprivate var hasReserve: Bool {
    switch self {
    case .loop, .mode, .image, .stallEnded, .loss: true
    default: false
    }
  }
}
