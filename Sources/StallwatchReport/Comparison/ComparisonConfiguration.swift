import StallwatchCore

/// What makes a difference between two recordings a finding.
package struct ComparisonConfiguration: Sendable {
  /// Confidence that chance alone makes nothing new or worse, over all questions of a comparison; and the same for what
  /// is gone or better. Default 0.99: five sessions a side can be divided in 252 ways, which is just enough for it.
  package var confidence = 0.99
  /// The figures of modes and timers to compare. Default: those that are declared as compared.
  package var catalog = Catalog.standard
  /// The least relative change of a rate or a duration. Default 10 %.
  package var leastChange = 0.1
  /// The least change of a duration, in nanoseconds. Default 1 ms: nobody notices less.
  package var leastDuration: Nanoseconds = 1 * .millisecond
  /// By how much a machine may differ from one run to the next, as a share. Default a quarter, such as between two
  /// processors that a provider rents under one name: where everything became longer together, less is no finding.
  package var machineAllowance = 0.25
  /// The fewest sessions of each side that are compared by session. Of fewer, nobody can tell how much sessions differ.
  package static let fewestSessions = 4

  /// How much of the allowed chance goes to figures that are worse or better together, and to causes that are new, and
  /// again to those that are gone. So chance alone makes a regression in at most as many comparisons as the confidence
  /// leaves, and an improvement in as many: half of the first share, and the second. With them, five sessions a side
  /// can just show a change, and eight stalls on one side alone a new cause.
  static let shares = (changes: 0.8, oneSided: 0.6)

  /// The confidences that may be asked for. Beyond the highest, no number of sessions shows a change: of all divisions,
  /// the test draws too few, and each may come with its mirror image.
  package static let confidences =
    Double.leastNonzeroMagnitude...(1 - 2 / Double(PermutationTest.mostDivisions) / shares.changes)

  /// A configuration with the defaults.
  package init() {}
}
