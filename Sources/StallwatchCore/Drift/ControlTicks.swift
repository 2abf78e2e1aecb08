/// The control's half of the drift probe as far as it is known: how late the GCD timer fired for each tick.
public struct ControlTicks {
  /// How many ticks are remembered: at the shortest interval, 10 ms, for 40 s. Longer than any loop waits to be paired, but
  /// for the one tick that it is about to serve, whose fate ``DriftPairing`` keeps.
  static let capacity: UInt64 = 4_096

  /// What became of a tick.
  enum Fate: Equatable {
    /// The timer fired for it, so late.
    case fired(Nanoseconds)
    /// It did not: it had not fired for an earlier one by then, or it was not running.
    case dropped
  }

  /// Empty until the timer has fired: a program's start is not to wait for 96 KiB to be cleared.
  private var lateness: [(number: UInt64, lateness: Nanoseconds)?] = []
  /// The first tick of which nothing is known yet.
  private var next: UInt64 = 0

  /// A control that has not fired.
  public init() {}

  /// The timer fired for a tick; earlier ones that it did not fire for are dropped.
  public mutating func fire(_ number: UInt64, lateness: Nanoseconds) {
    if self.lateness.isEmpty { self.lateness = Array(repeating: nil, count: Int(Self.capacity)) }
    self.lateness[Int(number % Self.capacity)] = (number, lateness)
    next = max(next, number.saturatingAdd(1))
  }

  /// The timer fires for none of the ticks before `number` any more.
  public mutating func pass(to number: UInt64) { next = max(next, number) }

  /// What became of a tick; nil: not known yet.
  func fate(of number: UInt64) -> Fate? {
    guard number < next else { return nil }
    guard !lateness.isEmpty, let tick = lateness[Int(number % Self.capacity)], tick.number == number else {
      return .dropped
    }
    return .fired(tick.lateness)
  }
}
