import Foundation
import Testing

@testable import StallwatchReport

/// What a comparison says of sessions that are drawn by chance (``SimulatedProgram``): how often it finds what is not
/// there, and how often what is. `tools/judge/diff-characteristics` runs it at full length.
@Suite("The operating characteristics of a comparison")
struct ComparisonCharacteristicsTests {
  /// Pairs of sides that are drawn alike.
  struct Scenario: CustomTestStringConvertible, Sendable {
    var name: String
    var base = SimulatedProgram()
    var new = SimulatedProgram()
    var sessions = 5
    /// What must be found; nil where nothing may be.
    var finding: String?
    /// In which share of the pairs it must be found.
    var least = 0.95
    /// Keeps its sessions from being those of another scenario.
    var offset: UInt64 = 0
    var testDescription: String { "\(name), \(sessions) a side" }
  }

  static let scenarios: [Scenario] = all.enumerated().map { number, scenario in
    var scenario = scenario
    scenario.offset = UInt64(number) &* 104_729
    return scenario
  }

  private static let all: [Scenario] = [1, 5].flatMap { sessions -> [Scenario] in
    var (slow, clumped, short, long) = (
      SimulatedProgram(), SimulatedProgram(), SimulatedProgram(), SimulatedProgram()
    )
    slow.slowness = 1.1
    clumped.clumping = 5
    short.length = 480
    long.length = 4_800
    var hangs = SimulatedProgram()
    hangs.newHangs = 8
    var scenarios = [
      Scenario(name: "no change"), Scenario(name: "machine 10 % slower", new: slow),
      Scenario(name: "clumped stalls", base: clumped, new: clumped),
      Scenario(name: "8 against 80 minutes", base: short, new: long),
      Scenario(name: "80 against 8 minutes", base: long, new: short),
      Scenario(name: "8 new hangs", new: hangs, finding: "new hang rate"),
    ]
    for place in scenarios.indices { scenarios[place].sessions = sessions }
    // Eight stalls are the fewest that are a finding: where they happen to lie close together, or another cause is as
    // rare, they are none.
    scenarios[5].least = 0.9
    guard sessions > 1 else { return scenarios }
    for name in ["decode", "layout", "save"] {
      var slower = SimulatedProgram()
      slower.slower[name] = 1.2
      scenarios.append(Scenario(name: "\(name) 20 % slower", new: slower, finding: "worse \(name) duration"))
    }
    var both = SimulatedProgram()
    (both.slowness, both.slower["decode"]) = (1.1, 1.2)
    scenarios.append(
      Scenario(name: "decode 20 %, all 10 % slower", new: both, finding: "worse decode duration"))
    return scenarios
  }

  private static let environment = ProcessInfo.processInfo.environment
  /// The pairs of each scenario: few here, 200 for the judge.
  private static let pairs = environment["STALLWATCH_DIFF_PAIRS"].flatMap { Int($0) } ?? 12
  private static let seed = environment["STALLWATCH_DIFF_SEED"].flatMap { UInt64($0) } ?? 1
  private static var isJudging: Bool { environment["STALLWATCH_DIFF_PAIRS"] != nil }

  @Test("hold in pairs that are drawn by chance", arguments: scenarios)
  func holds(scenario: Scenario) {
    var (wrong, found): ([String], Int) = ([], 0)
    for pair in 0..<Self.pairs {
      var random = SplitMix(state: Self.seed &* 1_000_003 &+ UInt64(pair) &* 7_919 &+ scenario.offset)
      let base = scenario.base.side("base", sessions: scenario.sessions, &random)
      let new = scenario.new.side("new", sessions: scenario.sessions, &random)
      let findings = Comparer().judge(base: base, new: new).findings.map {
        "\($0.verdict) \($0.subject) \($0.question)\($0.quantile.map { " \($0.key)" } ?? "")"
      }
      if let finding = scenario.finding, findings.contains(finding) { found += 1 }
      // What follows from the slower callout, such as more stalls of it, is right as well.
      let named = scenario.finding.map { $0.split(separator: " ")[1] }
      let others = findings.filter { finding in named.map { !finding.contains($0) } ?? true }
      if !others.isEmpty { wrong.append(others.joined(separator: ", ")) }
    }
    // What is beside a true finding is held to 2 %: among so many scenarios, 200 pairs of one often have more than 1 %.
    let most = Double(Self.pairs) / (scenario.finding == nil ? 100 : 50)
    let power = scenario.finding == nil ? "" : "; found in \(found)"
    if Self.isJudging {
      print(
        "| \(scenario.testDescription) | \(Self.pairs) | \(wrong.count) | \(scenario.finding == nil ? "" : "\(found)") |"
      )
      for finding in wrong { print("  \(finding)") }
    }
    // One in a dozen may be chance; the judge, with 200, holds to one in a hundred.
    #expect(Double(wrong.count) <= max(most, Self.isJudging ? 0 : 1), "\(scenario.testDescription): \(wrong)\(power)")
    if scenario.finding != nil {
      #expect(
        Double(found) >= (Self.isJudging ? scenario.least : 0.5) * Double(Self.pairs),
        "\(scenario.testDescription)\(power)")
    }
  }
}
