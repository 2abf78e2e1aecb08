/// What holding a recording to a budget came to.
public struct BudgetReport: Sendable {
  /// What came of one limit.
  public enum Verdict: String, Sendable {
    /// The value is within the limit.
    case held
    /// The value is beyond it.
    case exceeded
    /// What it is about was not seen, or its value is not known: no pass.
    case unseen
    /// A cause is no longer allowed.
    case expired
    /// A cause or percentile is new or worse than in the base store.
    case worse
  }

  /// One limit and what came of it.
  public struct Result: Sendable {
    /// The key as it is written.
    public var key: String
    /// What the numbers are.
    public var unit: BudgetLimit.Unit
    /// The limit; nil where there is no number.
    public var limit: Double?
    /// What was recorded; nil where it is not known.
    public var value: Double?
    /// What came of it.
    public var verdict: Verdict
    /// The stall to look at; nil where there is none.
    public var stall: Int64?
    /// What to know of it, in a sentence without its end; nil where key, limit and value say all.
    public var detail: String?
  }

  /// The store that was judged.
  public var store: String
  /// Every limit, in the order of their keys.
  public var results: [Result]
  /// Causes whose stalls counted toward no limit, with how many stalls each had.
  public var allowed: [(signature: AllowedSignature, stalls: Int)]
  /// What to know of the recording as a whole; nil when nothing.
  public var caveat: String?

  /// What is beyond the budget.
  public var findings: [Result] { results.filter { $0.verdict != .held } }
}
