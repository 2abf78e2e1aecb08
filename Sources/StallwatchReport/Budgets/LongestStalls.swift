import StallwatchCore
import StallwatchStore

/// The longest stall of each sort: what findings point at. A report lists the worst alone, and those may all be allowed or
/// lie on another loop.
struct LongestStalls {
  /// What a limit tells stalls apart by.
  struct Sort: Hashable {
    var loop: Int64
    var mode: String
    var kind: StallKind
    var isFatal: Bool
  }

  private var stalls: [Sort: (id: Int64, duration: Nanoseconds)] = [:]

  /// Takes in a stall, or leaves it out where it was cancelled. Of two of one length the first stays.
  mutating func add(_ stall: StoredStall) {
    guard stall.state != .cancelled else { return }
    let sort = Sort(
      loop: stall.loop, mode: stall.mode, kind: stall.began.kind,
      isFatal: stall.state == .fatal)
    if let longest = stalls[sort], longest.duration >= stall.duration { return }
    stalls[sort] = (stall.id, stall.duration)
  }

  /// The longest of the sorts that `isMeant` takes.
  func longest(where isMeant: (Sort) -> Bool = { _ in true }) -> (id: Int64, duration: Nanoseconds)? {
    stalls.filter { isMeant($0.key) }.values.min { ($1.duration, $0.id) < ($0.duration, $1.id) }
  }
}
