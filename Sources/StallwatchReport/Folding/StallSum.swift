import StallwatchCore
import StallwatchStore

/// The sum of some stalls.
package struct StallSum {
  /// The number of stalls.
  var count: Int
  /// The sum of their durations.
  var total: Nanoseconds
  /// The longest duration, and the row of the first stall that lasted so long.
  var worst: Nanoseconds
  var worstStall: Int64
  /// The sum of how their watched time divides; nil where none has a known cause.
  var cause: StallCause?

  /// The sum of one stall.
  package init(_ stall: BriefStall) {
    (count, total, worst, worstStall, cause) = (1, stall.duration, stall.duration, stall.id, stall.cause)
  }

  /// The sum of one stall.
  package init(_ stall: StoredStall) {
    (count, total, worst, worstStall, cause) = (1, stall.duration, stall.duration, stall.id, stall.cause)
  }

  /// Adds other stalls.
  package mutating func add(_ other: StallSum) {
    count += other.count
    total = total.saturatingAdd(other.total)
    if other.worst > worst { (worst, worstStall) = (other.worst, other.worstStall) }
    guard let added = other.cause else { return }
    cause =
      cause.map {
        StallCause(
          running: $0.running.saturatingAdd(added.running), blocked: $0.blocked.saturatingAdd(added.blocked),
          starved: $0.starved.saturatingAdd(added.starved))
      } ?? added
  }
}
