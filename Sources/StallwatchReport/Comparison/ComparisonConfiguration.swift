import StallwatchCore

/// What makes a difference between two recordings a finding.
package struct ComparisonConfiguration: Sendable {
  /// Confidence that no reported change is chance. Default 0.999: for a program that changes several times a day, a
  /// comparison of every change is wrong about once in some months.
  package var confidence = 0.999
  /// The figures of modes and timers to compare. Default: those that are declared as compared.
  package var catalog = Catalog.standard
  /// The least relative change of a rate or a duration. Default 10 %: another machine or day changes less than that.
  package var leastChange = 0.1
  /// The least change of a duration, in nanoseconds. Default 1 ms: nobody notices less.
  package var leastDuration: Nanoseconds = 1 * .millisecond
  /// The fewest stalls of one cause, both sides together, that a verdict needs; dropped fires need as many. Default 8:
  /// where no other question is asked, 8 stalls on one side alone are just enough to rule out chance.
  package var leastStalls = 8
  /// The number of durations kept of each cause, a random sample of all. Default 5,000: a rank test of more is no surer
  /// of a change of 10 %.
  package var keptDurations = 5_000

  /// A configuration with the defaults.
  package init() {}
}
