/// The stalls that hurt a timer. A store may hold millions: of each only its row is kept, 8 bytes.
public struct TimerStalls: Sendable, Equatable {
  /// The stalls' rows, worst lateness first.
  public private(set) var rows: [Int64] = []
  /// What the worst of them did to the timer; nil where there is none.
  public private(set) var worst: StoredStallTimer?
  /// The same rows, once those of several timers are in it.
  private var known: Set<Int64> = []
  /// Due times in all of them that were dropped.
  public private(set) var dropped: UInt64 = 0

  /// How many there are.
  public var count: Int { rows.count }
  /// Whether none hurt it.
  public var isEmpty: Bool { rows.isEmpty }

  /// Takes in the stalls of another timer; one that hurt both counts once. The worst comes first, the others in any order.
  public mutating func merge(_ other: TimerStalls) {
    if known.count != rows.count { known = Set(rows) }
    for row in other.rows where known.insert(row).inserted { rows.append(row) }
    dropped = dropped.saturatingAdd(other.dropped)
    guard let found = other.worst, found.worstLateness > worst?.worstLateness ?? 0 else { return }
    worst = found
    if let place = rows.firstIndex(of: found.stall) { rows.swapAt(0, place) }
  }

  /// Takes in another stall, which was no worse than those before.
  mutating func add(_ hurt: StoredStallTimer) {
    if worst == nil { worst = hurt }
    rows.append(hurt.stall)
    dropped = dropped.saturatingAdd(hurt.dropped)
  }
}

extension TimerStalls: ExpressibleByArrayLiteral {
  /// These stalls, worst lateness first.
  public init(arrayLiteral elements: StoredStallTimer...) {
    for hurt in elements { add(hurt) }
  }
}
