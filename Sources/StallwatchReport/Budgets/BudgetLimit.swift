import StallwatchCore

/// One limit of a budget.
public struct BudgetLimit: Sendable, Equatable {
  /// What is held to it.
  public enum Subject: Sendable, Equatable {
    /// The whole store.
    case store
    /// Loops of that name.
    case loop(String)
    /// A mode of loops of that name.
    case mode(loop: String, mode: String)
    /// Timers of that name or title.
    case timer(String)
    /// The drift of all loops.
    case drift
  }

  /// What the limit is a number of.
  public enum Unit: String, Sendable {
    /// Nanoseconds; written as `8ms`.
    case duration
    /// How many.
    case count
    /// 0 … 1.
    case share
    /// Seconds in an hour, or milliseconds in a second.
    case rate
  }

  /// The key as it is written: `loop.main.span.p99`.
  public var key: String
  /// What is held to it.
  public var subject: Subject
  /// What of it, by the last words of the key: `span.p99`.
  public var measure: String
  /// What the limit is a number of.
  public var unit: Unit
  /// The most that is allowed.
  public var bound: Double
}

/// A cause of stalls that is known, and allowed for a time.
public struct AllowedSignature: Sendable, Equatable {
  /// The signature's key, or its title.
  public var signature: String
  /// Who is to do something about it.
  public var owner: String
  /// The last day on which it is allowed, as `2027-01-31`.
  public var until: String
}

/// "No worse than this store."
public struct BaseStore: Sendable, Equatable {
  /// The store, as it is written.
  public var store: String
  /// As ``ComparisonConfiguration/confidence``.
  public var confidence: Double?
}
