import Foundation
import ScenarioJudging
import Scenarios
import TestPrograms
import Testing

/// The scenarios on their own, unwatched: what they do and what they ask of a monitor.
@Suite(.serialized) struct ScenarioProgramTests {
  @Test(arguments: Scenario.all.map(\.name))
  func doesWhatItIsMeantToDo(name: String) throws {
    let outcome = try TestRun.run([Built.product("scenario-program"), name])
    let lines = try ScenarioJudge(output: outcome.text).lines
    #expect(outcome.exitCode == 0)
    #expect(lines.last?.failures == [])
    #expect(lines.last?.scenario == name)

    let expectation = try #require(Scenario.named(name)).expectation
    let stalls = lines.filter { $0.kind == .expectStall }
    #expect(stalls.map(\.hold) == expectation.stalls.map(\.hold))
    #expect(stalls.allSatisfy { $0.durationNs ?? 0 >= 120_000_000 && $0.threadID != nil })
    #expect(lines.filter { $0.kind == .expectMode }.allSatisfy { $0.threadID != nil })
    #expect(Set(lines.filter { $0.kind == .expectLoop }.map(\.loop)) == Set(expectation.modes.map(\.loop)))
  }

  @Test func thereAreTenOfDifferentNames() {
    #expect(Set(Scenario.all.map(\.name)).count == 10)
    #expect(Scenario.named("no-such-scenario") == nil)
  }

  @Test(arguments: ["scenario-program", "scenario-program-embedded", "scenario-program-hooked"])
  func anUnknownNameGivesOneLineAndExitsWith2(program: String) throws {
    let outcome = try TestRun.run([Built.product(program), "no-such-scenario"])
    #expect(outcome.exitCode == 2)
    #expect(outcome.errorText.split(separator: "\n").count == 1)
  }
}
