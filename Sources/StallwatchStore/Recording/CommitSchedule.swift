import StallwatchCore

/// When the records that wait for a transaction are to be written: each costs as much as a dozen records, so they
/// gather for a while.
struct CommitSchedule {
  private let gatherTime: Nanoseconds
  private let urgentPause: Nanoseconds
  private let crowd: Int
  /// When the first of the waiting records came; nil while none waits.
  private var firstAt: Nanoseconds?
  /// Whether one of them must reach the disk soon.
  private var isUrgent = false
  private var count = 0
  /// When the last transaction with an urgent record began, on the monotonic clock; nil before the first.
  private var lastUrgentAt: Nanoseconds?

  init(_ configuration: StoreRecorder.Configuration) {
    gatherTime = configuration.gatherTime
    urgentPause = configuration.urgentPause
    crowd = configuration.crowd
  }

  /// Notes records that have just come.
  mutating func add(_ records: [Record], at now: Nanoseconds) {
    for record in records where !record.isFigure {
      if firstAt == nil { firstAt = now }
      count += 1
      if record.isUrgent { isUrgent = true }
    }
  }

  /// When the records that wait are to be written; nil while none waits.
  var dueNs: Nanoseconds? {
    guard let firstAt else { return nil }
    if count >= crowd { return 0 }
    let gathered = firstAt.saturatingAdd(gatherTime)
    guard isUrgent else { return gathered }
    return min(lastUrgentAt.map { $0.saturatingAdd(urgentPause) } ?? 0, gathered)
  }

  /// Notes that everything is being written.
  mutating func commit(at now: Nanoseconds) {
    if isUrgent { lastUrgentAt = now }
    (firstAt, isUrgent, count) = (nil, false, 0)
  }
}

extension Record {
  /// Whether a sudden death must not take the record along.
  var isUrgent: Bool {
    switch self {
    case .stallBegan, .stallEnded: true
    default: false
    }
  }
}
