/// How late the drift probe's control, a GCD timer or at rest the watchdog, came to each tick, as far as known. For the
/// watchdog's thread.
package struct ControlTicks {
  /// The number of ticks remembered: 40 s at the shortest interval, 10 ms. No loop needs an older one to pair, except
  /// for the tick that it serves next, whose fate ``DriftPairing`` keeps.
  static let capacity: UInt64 = 4_096

  /// What became of a tick.
  enum Fate: Equatable {
    /// The timer fired for the tick, with this lateness.
    case fired(Nanoseconds)
    /// The timer did not fire for the tick: it had not fired for an earlier one by then, or it was not running.
    case dropped
  }

  /// Empty until the timer fires, so that a program's start does not wait for the clearing of 96 KiB.
  private var lateness: [(number: UInt64, lateness: Nanoseconds)?] = []
  /// The first tick whose fate is not known yet.
  private var next: UInt64 = 0

  /// A control that has not fired yet.
  package init() {}

  /// Notes that the timer fired for tick `number`; the earlier ticks it did not fire for are dropped.
  package mutating func fire(_ number: UInt64, lateness: Nanoseconds) {
    if self.lateness.isEmpty { self.lateness = Array(repeating: nil, count: Int(Self.capacity)) }
    self.lateness[Int(number % Self.capacity)] = (number, lateness)
    next = max(next, number.saturatingAdd(1))
  }

  /// Notes that the timer will fire for no tick before `number` any more.
  package mutating func pass(to number: UInt64) { next = max(next, number) }

  /// The fate of a tick; nil while it is not known.
  func fate(of number: UInt64) -> Fate? {
    guard number < next else { return nil }
    guard !lateness.isEmpty, let tick = lateness[Int(number % Self.capacity)], tick.number == number else {
      return .dropped
    }
    return .fired(tick.lateness)
  }
}
