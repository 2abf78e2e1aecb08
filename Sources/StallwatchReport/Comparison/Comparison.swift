import StallwatchCore

/// What changed between two recordings, or two sets of them.
public struct Comparison: Sendable {
  /// What one side saw.
  public struct Side: Sendable {
    /// Its stores.
    public var stores: [String]
    /// How many sessions.
    public var sessions: Int
    /// Time in which loops were watched, of all loops together, in seconds.
    public var loopSeconds: Double
    /// Iterations of all loops.
    public var iterations: UInt64
    /// Its stalls, counted.
    public var stalls: StallCounts
  }

  /// What may be said of one thing.
  public enum Verdict: String, Sendable {
    /// Only there now.
    case new
    /// No longer there.
    case gone
    /// More often, longer, later.
    case worse
    /// Less often, shorter, earlier.
    case better
    /// No change that is sure and large enough.
    case same
    /// Too little data to say.
    case unsure

    /// Whether it is a regression.
    public var isRegression: Bool { self == .new || self == .worse }
  }

  /// What was asked of a thing.
  public enum Question: String, Sendable {
    /// How often it stalled: per hour of watched time, and per iteration.
    case rate
    /// How long its stalls lasted, from the median of the one side to that of the other.
    case duration
    /// A percentile of a mode's spans.
    case span
    /// A percentile of timers' lateness.
    case lateness
    /// The share of timers' due times that were dropped.
    case dropped
  }

  /// The answer to one question about one thing.
  public struct Change: Sendable {
    /// What it is about: a cause's title, a loop and mode, a timer.
    public var subject: String
    /// The cause's signature; nil for modes and timers.
    public var signature: String?
    /// What was asked.
    public var question: Question
    /// Which percentile: 0.5, 0.9, 0.99; nil where none was asked for.
    public var percentile: Double?
    /// The value of each side: stalls per hour, nanoseconds, or a share; nil where it is not known.
    public var base: Double?
    /// The same of the new side.
    public var new: Double?
    /// How many stalls, spans or due times each side has.
    public var counts: (base: UInt64, new: UInt64)
    /// The answer.
    public var verdict: Verdict
    /// How likely chance alone would have made any finding of this comparison that is as strong; nil where nothing was tested.
    public var chance: Double?
    /// The stall to look at on the new side, or on the base side where it is gone, and its store; nil where there is none.
    public var worst: (store: String, stall: Int64)?
  }

  /// How sure one had to be (``ComparisonConfiguration/confidence``).
  public var confidence: Double
  /// What it is compared with.
  public var base: Side
  /// What is judged.
  public var new: Side
  /// Every question that was asked, findings first, the surest first.
  public var changes: [Change]

  /// Findings that are sure, the worst first.
  public var findings: [Change] { changes.filter { $0.verdict != .same && $0.verdict != .unsure } }
  /// Whether anything is worse or new.
  public var isRegression: Bool { changes.contains { $0.verdict.isRegression } }
}
