import StallwatchCore

/// When to ask the kernel for a timer again after it had none: soon at first, then ever less often, so that a user at a
/// limit does not cause a hundred requests a second.
struct TimerBackoff {
  private var pause: Nanoseconds = 0
  private var againNs: Nanoseconds = 0

  /// The first pause; each further one is twice as long, up to the longest.
  private static let shortest = 10 * Nanoseconds.millisecond
  private static let longest = 5 * Nanoseconds.second

  /// Whether the pause is over.
  func isOver(at now: Nanoseconds) -> Bool { now >= againNs }

  /// Begins the next pause, because the kernel had no timer.
  mutating func wait(from now: Nanoseconds) {
    pause = pause == 0 ? Self.shortest : min(2 * pause, Self.longest)
    againNs = now + pause
  }

  /// Starts over, because the kernel had a timer.
  mutating func end() { self = TimerBackoff() }
}
