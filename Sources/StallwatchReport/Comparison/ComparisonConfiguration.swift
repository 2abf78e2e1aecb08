import StallwatchCore

/// When a difference between two recordings is told as one.
public struct ComparisonConfiguration: Sendable {
  /// How sure one has to be that nothing of all that is told is chance. Default 0.999: a comparison at every change of a
  /// program that changes several times a day is wrong once in some months.
  public var confidence = 0.999
  /// The least change of a rate or a duration. Default 10 %: less is within what another machine or day makes.
  public var leastChange = 0.1
  /// The least change of a duration in nanoseconds. Default 1 ms: nobody feels less.
  public var leastDuration: Nanoseconds = 1 * .millisecond
  /// Stalls of one cause on both sides together below which nothing is said. Default 8, with which a cause that is only on one
  /// side can just be told from chance where nothing else is asked.
  public var leastStalls = 8
  /// Durations that are kept of each cause, picked evenly at random from all. Default 5,000: a rank test of more is no surer of
  /// a change of 10 %.
  public var keptDurations = 5_000

  /// The defaults.
  public init() {}
}
