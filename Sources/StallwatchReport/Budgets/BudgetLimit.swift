import StallwatchCore

/// One limit of a budget.
package struct BudgetLimit: Sendable, Equatable {
  /// What a limit applies to.
  package enum Subject: Sendable, Equatable {
    /// The whole store.
    case store
    /// Loops of this name.
    case loop(String)
    /// This mode of loops of this name.
    case mode(loop: String, mode: String)
    /// Timers of this name or title.
    case timer(String)
    /// The drift of all loops.
    case drift
  }

  /// The unit of a limit.
  package enum Unit: String, Sendable {
    /// Nanoseconds; a budget file writes `8ms`.
    case duration
    /// A whole number, 0 or more.
    case count
    /// A share, 0…1.
    case share
    /// Seconds per hour, or milliseconds per second.
    case rate
  }

  /// The key as the budget file writes it: `loop.main.span.p99`.
  package var key: String
  /// What the limit applies to.
  package var subject: Subject
  /// The measure, the last words of the key: `span.p99`.
  package var measure: String
  /// The unit of ``bound``.
  package var unit: Unit
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
