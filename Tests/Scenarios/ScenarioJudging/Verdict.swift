/// What the judge found.
public struct Verdict: Sendable, Equatable {
  /// Where the report and the scenario disagree, in words.
  public var disagreements: [String] = []
  /// Where they would, had the machine not been seen to be late at that moment.
  public var excuses: [String] = []

  /// Whether nothing is wrong.
  public var agrees: Bool { disagreements.isEmpty }

  /// Takes in what another part of the report showed.
  static func += (verdict: inout Verdict, more: Verdict) {
    verdict.disagreements += more.disagreements
    verdict.excuses += more.excuses
  }
}
