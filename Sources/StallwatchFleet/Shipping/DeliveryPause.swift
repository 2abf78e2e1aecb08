import StallwatchCore

/// The pauses between tries: each twice as long as the one before, and shorter by chance.
struct DeliveryPause {
  private let first: Nanoseconds
  private let longest: Nanoseconds
  /// How many tries failed in a row.
  private(set) var failures = 0

  init(first: Nanoseconds, longest: Nanoseconds) { (self.first, self.longest) = (first, longest) }

  /// Notes a failure and returns how long to wait. `chance` is from 0 to 1: at 1, half of the pause is left out.
  mutating func next(chance: Double) -> Nanoseconds {
    let doublings = min(failures, 40)
    failures += 1
    let (pause, isTooLong) = first.multipliedReportingOverflow(by: 1 << UInt64(doublings))
    let whole = isTooLong ? longest : min(pause, longest)
    return whole - Nanoseconds(Double(whole / 2) * min(max(chance, 0), 1))
  }

  /// Notes a success.
  mutating func reset() { failures = 0 }
}
