import StallwatchCore

/// One limit of a budget.
package struct BudgetLimit: Sendable, Equatable {
  /// What a limit applies to.
  package enum Subject: Sendable, Equatable {
    /// The stalls of the whole store.
    case stalls
    /// The health of all sessions.
    case health
    /// Run loops and other lanes of this name.
    case lane(String)
    /// This mode of run loops and other lanes of this name.
    case mode(lane: String, mode: String)
    /// Timers of this name or title.
    case timer(String)
    /// The drift of all loops.
    case drift
  }

  /// The key as the budget file writes it: `loop.main.span.p99`.
  package var key: String
  /// What the limit applies to.
  package var subject: Subject
  /// The measure, the last words of the key: `span.p99`.
  package var measure: String
  /// The unit of ``bound``.
  package var unit: MeasureUnit
  /// The largest value allowed.
  package var bound: Double
}

/// A known signature that the budget allows for a time.
package struct AllowedSignature: Sendable, Equatable {
  /// The signature's key, or its title.
  package var signature: String
  /// Who must fix it.
  package var owner: String
  /// The last day on which the budget allows it, as `2027-01-31`.
  package var until: String
}

/// The store that the recording must not be worse than.
package struct BaseStore: Sendable, Equatable {
  /// The store's path, as the budget file writes it.
  package var store: String
  /// Overrides ``ComparisonConfiguration/confidence``; nil keeps the default.
  package var confidence: Double?
}
