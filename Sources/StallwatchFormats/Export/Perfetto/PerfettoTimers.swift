import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The timers of a session that a trace shows: those that dropped most, then the latest. A program may have thousands.
struct PerfettoTimers {
  private(set) var worst: [StoredTimer] = []
  /// The titles that several of them have.
  private var shared: Set<String> = []
  /// Two counters each: nobody looks through more.
  private static let most = 30

  init(of session: StoredSession, in contents: some StoreContents) throws {
    try contents.forEachTimerLedger(session: session.id) { timer in
      guard timer.ledger.dropped > 0 || timer.ledger.worst != nil else { return }
      worst.append(timer)
      if worst.count == Self.most * 2 { cut() }
    }
    cut()
    shared = Set(Dictionary(grouping: worst, by: Self.name).filter { $0.value.count > 1 }.keys)
  }

  private mutating func cut() {
    worst.sort { Self.trouble($0) > Self.trouble($1) }
    worst = Array(worst.prefix(Self.most))
  }

  private static func trouble(_ timer: StoredTimer) -> (UInt64, Nanoseconds, Int64) {
    (timer.ledger.dropped, timer.ledger.worst?.lateness ?? 0, -timer.id)
  }

  /// The name, or the row where it has none; with the row, too, where several timers would have one title. A trace adds
  /// counters of one title up.
  func title(_ timer: StoredTimer) -> String {
    let name = Self.name(timer)
    return shared.contains(name) ? "\(name) #\(timer.id)" : name
  }

  private static func name(_ timer: StoredTimer) -> String { timer.record.name ?? String(timer.id) }
}
