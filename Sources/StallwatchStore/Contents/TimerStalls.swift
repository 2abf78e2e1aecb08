/// The stalls that hurt a timer. A store may hold millions, so each takes only its row here, 8 bytes.
package struct TimerStalls: Sendable, Equatable {
  /// The rows of the stalls, worst lateness first.
  package private(set) var rows: [Int64] = []
  /// What the worst of them did to the timer; nil without stalls.
  package private(set) var worst: StoredStallTimer?
  /// The same rows, filled when the stalls of several timers are merged.
  private var known: Set<Int64> = []
  /// How many due times were dropped in all of them.
  package private(set) var dropped: UInt64 = 0

  /// How many stalls there are.
  package var count: Int { rows.count }
  /// Whether no stall hurt the timer.
  package var isEmpty: Bool { rows.isEmpty }

  /// Adds the stalls of another timer; one that hurt both counts once. The worst comes first, the others in any order.
  package mutating func merge(_ other: TimerStalls) {
    if known.count != rows.count { known = Set(rows) }
    for row in other.rows where known.insert(row).inserted { rows.append(row) }
    dropped = dropped.saturatingAdd(other.dropped)
    guard let found = other.worst, found.worstLateness > worst?.worstLateness ?? 0 else { return }
    worst = found
    if let place = rows.firstIndex(of: found.stall) { rows.swapAt(0, place) }
  }

  /// Adds another stall, which must be no worse than the earlier ones.
  mutating func add(_ hurt: StoredStallTimer) {
    if worst == nil { worst = hurt }
    rows.append(hurt.stall)
    dropped = dropped.saturatingAdd(hurt.dropped)
  }
}

extension TimerStalls: ExpressibleByArrayLiteral {
  /// The given stalls, which must come worst lateness first.
  package init(arrayLiteral elements: StoredStallTimer...) {
    for hurt in elements { add(hurt) }
  }
}
