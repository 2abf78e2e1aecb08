/// How often a growing store is read anew for those who look at it.
enum Pace {
  /// The least time between two readings: nobody can read a flickering page, and scrapers come less often.
  private static let leastInterval = Duration.seconds(1)
  /// At most a fifth of the time goes to reading.
  private static let costFactor = 5

  /// The time from a reading that took `cost` to the next.
  static func pause(after cost: Duration) -> Duration { max(leastInterval, cost * costFactor) }
}
