import StallwatchCore
import StallwatchStore

/// The longest stall of each sort, for findings to point at. A report lists only the worst stalls, and those may all be
/// allowed or belong to another loop.
struct LongestStalls {
  /// The properties by which limits select stalls.
  struct Sort: Hashable {
    var loop: Int64
    var mode: String
    var kind: StallKind
    var isFatal: Bool
  }

  private var stalls: [Sort: (id: Int64, duration: Nanoseconds)] = [:]

  /// Takes in a stall unless it was cancelled. Of two equally long stalls the first stays.
  mutating func add(_ stall: StoredStall) {
    guard stall.state != .cancelled else { return }
    let sort = Sort(
      loop: stall.loop, mode: stall.mode, kind: stall.began.kind,
      isFatal: stall.state == .fatal)
    if let longest = stalls[sort], longest.duration >= stall.duration { return }
    stalls[sort] = (stall.id, stall.duration)
  }

  /// The row and duration of the longest stall among the sorts that `isMeant` accepts.
  func longest(where isMeant: (Sort) -> Bool = { _ in true }) -> (id: Int64, duration: Nanoseconds)? {
    stalls.filter { isMeant($0.key) }.values.min { ($1.duration, $0.id) < ($0.duration, $1.id) }
  }
}
