import StallwatchCore

/// The changes between two recordings, or between two sets of recordings.
package struct Comparison: Sendable {
  /// The totals of one side.
  package struct Side: Sendable {
    /// The names of its stores.
    package var stores: [String]
    /// The number of sessions.
    package var sessions: Int
    /// Watched time of all loops together, in seconds.
    package var loopSeconds: Double
    /// Iterations of all loops.
    package var iterations: UInt64
    /// The counts of its stalls.
    package var stalls: StallCounts
  }

  /// The answer to a question about one cause, mode or timer.
  package enum Verdict: String, Sendable {
    /// Present on the new side only.
    case new
    /// Present on the base side only.
    case gone
    /// More often, longer or later.
    case worse
    /// Less often, shorter or earlier.
    case better
    /// No change that is both sure and large enough.
    case same
    /// Too little data to decide.
    case unsure

    /// Whether the change is a regression: new or worse.
    package var isRegression: Bool { self == .new || self == .worse }
  }

  /// What a comparison asks about a cause, mode or timer. Measures declare what is asked about modes and timers.
  package struct Question: Sendable, Equatable, CustomStringConvertible {
    /// Its name in JSON.
    package var key: String
    /// Its name in texts, without a quantile.
    package var title: String
    /// The unit of the values compared.
    package var unit: MeasureUnit

    /// How often a cause stalls: per hour of watched time, and per iteration.
    package static let rate = Question(key: "rate", title: "stalls an hour", unit: .rate)
    /// How long its stalls last: the medians of both sides.
    package static let duration = Question(key: "duration", title: "median duration", unit: .duration)

    package var description: String { key }
  }

  /// The answer to one question about one subject.
  package struct Change: Sendable {
    /// The subject: a cause's title, a loop and mode, or a timer and loop.
    package var subject: String
    /// The cause's signature key; nil for modes and timers.
    package var signature: String?
    package var question: Question
    /// The quantile of a distribution; nil where the question has none.
    package var quantile: Quantile?
    /// The base side's value: stalls per hour, nanoseconds, or a share; nil where it is unknown.
    package var base: Double?
    /// The new side's value, in the same unit.
    package var new: Double?
    /// The number of stalls, spans, callouts or due times of each side.
    package var counts: (base: UInt64, new: UInt64)
    package var verdict: Verdict
    /// The probability that chance alone yields a finding this strong in the whole comparison; nil if untested.
    package var chance: Double?
    /// The worst stall and its store, on the new side, or on the base side where the cause is gone; nil for none.
    package var worst: (store: String, stall: Int64)?

    /// The measure's name in texts: `span p99`.
    package var measure: String { [question.title, quantile?.key].compactMap(\.self).joined(separator: " ") }
  }

  /// The confidence of the verdicts (``ComparisonConfiguration/confidence``).
  package var confidence: Double
  /// The side to compare with.
  package var base: Side
  /// The side to judge.
  package var new: Side
  /// Every question with its answer, findings first, the surest first.
  package var changes: [Change]

  /// The sure findings, regressions first.
  package var findings: [Change] { changes.filter { $0.verdict != .same && $0.verdict != .unsure } }
  /// Whether anything is new or worse.
  package var isRegression: Bool { changes.contains { $0.verdict.isRegression } }
}
