/// How late the drift probe's control, a GCD timer or at rest the watchdog, came to each tick, as far as known. For the
/// watchdog's thread.
package struct ControlTicks {
  /// How long ticks are remembered at least. No loop needs an older one to pair, except for the tick that it serves
  /// next, whose fate ``DriftPairing`` keeps.
  static let memory = 40 * Nanoseconds.second
  /// The fewest ticks remembered, whatever their interval.
  static let fewest: UInt64 = 64

  /// How many ticks are remembered.
  let capacity: UInt64

  /// What became of a tick.
  enum Fate: Equatable {
    /// The timer fired for the tick, with this lateness.
    case fired(Nanoseconds)
    /// The timer did not fire for the tick: it had not fired for an earlier one by then, or it was not running.
    case dropped
  }

  /// Empty until the timer fires, so that a program's start does not wait for the clearing: at the shortest interval,
  /// 10 ms, of 96 KB.
  private var lateness: [(number: UInt64, lateness: Nanoseconds)?] = []
  /// The first tick whose fate is not known yet.
  private var next: UInt64 = 0

  /// A control that has not fired yet, for ticks at an interval.
  package init(interval: Nanoseconds) {
    capacity = max(Self.memory / max(interval, 1), Self.fewest)
  }

  /// Notes that the timer fired for tick `number`; the earlier ticks it did not fire for are dropped.
  package mutating func fire(_ number: UInt64, lateness: Nanoseconds) {
    if self.lateness.isEmpty { self.lateness = Array(repeating: nil, count: Int(capacity)) }
    self.lateness[Int(number % capacity)] = (number, lateness)
    next = max(next, number.saturatingAdd(1))
  }

  /// Notes that the timer will fire for no tick before `number` any more.
  package mutating func pass(to number: UInt64) { next = max(next, number) }

  /// The fate of a tick; nil while it is not known.
  func fate(of number: UInt64) -> Fate? {
    guard number < next else { return nil }
    guard !lateness.isEmpty, let tick = lateness[Int(number % capacity)], tick.number == number else {
      return .dropped
    }
    return .fired(tick.lateness)
  }
}
