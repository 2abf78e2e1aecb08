import StallwatchSymbols

/// The result of judging a recording by a budget.
package struct BudgetReport: Sendable {
  /// The judgement on one limit.
  package enum Verdict: String, Sendable {
    /// The value is within the limit.
    case held
    /// The value is beyond the limit.
    case exceeded
    /// The subject was not seen, or its value is unknown. Does not pass.
    case unseen
    /// The last allowed day of a signature is over.
    case expired
    /// A cause or percentile is new or worse than in the base store.
    case worse
  }

  /// One limit and the judgement on it.
  package struct Result: Sendable {
    /// The key as the budget file writes it.
    package var key: String
    /// The unit of ``limit`` and ``value``.
    package var unit: MeasureUnit
    /// The limit; nil where it is no number.
    package var limit: Double?
    /// The recorded value; nil where it is unknown.
    package var value: Double?
    package var verdict: Verdict
    /// The row of the stall to look at; nil where there is none.
    package var stall: Int64?
    /// A sentence without its full stop that adds what key, limit and value do not say; nil where they say all.
    package var detail: String?
    /// What held the loop in ``stall``; nil without a stall, and where its cause is unknown.
    package var culprit: Culprit?
  }

  /// The cause of a stall, and the place in the source to look at first.
  package struct Culprit: Sendable, Equatable {
    /// The cause in words, without a full stop.
    package var sentence: String
    /// The line of the program's own function; nil where it is unknown.
    package var location: SourceLocation?
  }

  /// The name of the judged store.
  package var store: String
  /// The result of every limit, in the order of their keys, then expired signatures, then the base store.
  package var results: [Result]
  /// The signatures whose stalls counted toward no limit, with the number of their stalls.
  package var allowed: [(signature: AllowedSignature, stalls: Int)]
  /// A caveat about the whole recording; nil where there is none.
  package var caveat: String?

  /// All results other than ``Verdict/held``.
  package var findings: [Result] { results.filter { $0.verdict != .held } }
}
