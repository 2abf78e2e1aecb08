import StallwatchReport
import Testing

@testable import StallwatchFleet

@Suite("Releases compared over instances")
struct FleetComparisonTests {
  private static var filter: FleetFilter {
    var filter = FleetFilter()
    filter.service = "feed"
    return filter
  }

  @Test(
    "a cause that is a fifth slower on three of ten instances is named, and no other",
    arguments: 1...5 as ClosedRange<UInt64>)
  func slower(seed: UInt64) throws {
    let fleet = MadeUpFleet(seed: seed, instances: 150, slower: 1.2, share: 0.3)
    let comparison = try FleetComparison(fleet, Self.filter, base: "1.0", new: "2.0").comparison
    #expect(
      comparison.findings.map { "\($0.signature ?? "") \($0.question) \($0.verdict)" } == ["decode duration worse"])
    #expect(comparison.isRegression)
  }

  @Test("of two releases that are alike nothing is a finding, in 20 of 20", arguments: 1...20 as ClosedRange<UInt64>)
  func alike(seed: UInt64) throws {
    let comparison = try FleetComparison(MadeUpFleet(seed: seed), Self.filter, base: "1.0", new: "2.0").comparison
    #expect(comparison.findings.isEmpty, "\(comparison.findings)")
  }

  @Test("a new cause and one that is gone are named")
  func oneSided() throws {
    let fleet = MadeUpFleet(seed: 3, instances: 20, extra: 0.5, gone: 0.5)
    let comparison = try FleetComparison(fleet, Self.filter, base: "1.0", new: "2.0").comparison
    let verdicts = Dictionary(
      comparison.findings.compactMap { change in change.signature.map { ($0, change.verdict) } },
      uniquingKeysWith: { first, _ in first })
    #expect(verdicts == ["extra": .new, "gone": .gone])
    #expect(comparison.unit == "instance")
  }

  @Test("too few instances show nothing, and the answer says so")
  func few() throws {
    let fleet = MadeUpFleet(seed: 1, instances: 3, slower: 3, share: 1)
    let answer = try FleetComparison(fleet, Self.filter, base: "1.0", new: "2.0")
    #expect(!answer.comparison.isBySession)
    var text = ""
    try FleetRenderer().render(answer.document(), as: .text) { text += $0 }
    #expect(text.contains("fewer than \(ComparisonConfiguration.fewestSessions) instances a side"))
    #expect(throws: FleetComparison.Obstacle.empty(release: "3.0")) {
      try FleetComparison(fleet, Self.filter, base: "1.0", new: "3.0")
    }
  }

  @Test("a budget of a release names what it breaks")
  func budget() throws {
    let toml = """
      [release]
      hang_rate = 1000
      hangs = 0.1
      least_instances = 10
      [causes]
      new = 0.1
      regressed = 0
      [lane.main.span]
      p50 = "1ns"
      """
    let budget = try FleetBudget(BudgetValue(toml: toml))
    let fleet = MadeUpFleet(seed: 1, instances: 20, extra: 0.5).summary(Self.filter)
    let judgement = FleetJudgement(budget, release: "2.0", of: fleet)
    #expect(
      judgement.verdicts.filter { !$0.isKept }.map(\.key) == ["causes.new", "lane.main.span.p50", "release.hangs"])
    #expect(judgement.verdicts.first { $0.key == "causes.new" }?.look.contains("extra") == true)
    // Beside nothing, nothing is new.
    #expect(FleetJudgement(budget, release: "1.0", of: fleet).verdicts.first { $0.key == "causes.new" }?.isKept == true)
    #expect(throws: BudgetError.unknownKey("release.hang_rat", nearest: ["hang_rate"])) {
      try FleetBudget(BudgetValue(toml: "[release]\nhang_rat = 1"))
    }
    #expect(throws: BudgetError.empty) { try FleetBudget(BudgetValue(toml: "")) }
  }
}
