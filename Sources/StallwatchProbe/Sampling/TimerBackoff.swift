import StallwatchCore

/// When the kernel may be asked for a timer again after it had none: soon at first, then more and more seldom, so that a user
/// who has reached a limit is not asked a hundred times a second.
struct TimerBackoff {
  private var pause: Nanoseconds = 0
  private var againNs: Nanoseconds = 0

  /// The first pause; each further one is twice as long, up to the longest.
  private static let shortest = 10 * Nanoseconds.millisecond
  private static let longest = 5 * Nanoseconds.second

  /// Whether it may be asked.
  func isOver(at now: Nanoseconds) -> Bool { now >= againNs }

  /// It had none.
  mutating func wait(from now: Nanoseconds) {
    pause = pause == 0 ? Self.shortest : min(2 * pause, Self.longest)
    againNs = now + pause
  }

  /// It had one.
  mutating func end() { self = TimerBackoff() }
}
