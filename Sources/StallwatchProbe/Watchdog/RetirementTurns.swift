import StallwatchCore

/// Which loops a flush asks to retire their counters if these take more than usual: each once in the interval of whole
/// flushes, a sixteenth of them at a time. Until the next flush has read retired counters, they take memory beside the new
/// ones, and loops that do the same come to take more than usual at the same time. Used on the watchdog's thread only.
struct RetirementTurns {
  /// About as many as there are flushes in that interval.
  private static let count: Nanoseconds = 16
  /// A turn, in nanoseconds.
  private static let length = ProbeConfiguration.wholeFlushInterval / count
  /// The turns that have come since the flush before.
  private var turns: Range<Nanoseconds> = 0..<0

  /// Notes that a flush begins.
  mutating func begin(at now: Nanoseconds) {
    let next = max(now / Self.length + 1, turns.upperBound)
    turns = max(turns.upperBound, next.since(Self.count))..<next
  }

  /// Whether it is a loop's turn.
  func isTurn(of loop: LoopID) -> Bool {
    let turn = UInt64(loop.rawValue) % Self.count
    let first = turns.lowerBound % Self.count
    return (turn + Self.count - first) % Self.count < turns.upperBound - turns.lowerBound
  }
}
