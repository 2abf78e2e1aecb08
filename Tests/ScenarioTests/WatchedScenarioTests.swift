import Foundation
import ScenarioJudging
import Scenarios
import TestPrograms
import Testing

/// The scenarios as `stallwatch report` and `stallwatch stalls` tell of them.
@Suite("Of a scenario the report tells all and nothing else", .serialized) struct WatchedScenarioTests {
  @Test(arguments: Scenario.all.map(\.name), Way.allCases)
  func agrees(scenario: String, way: Way) throws {
    let directory = try TestDirectory()
    let verdict = try ScenarioRun(scenario, way, in: directory.path).verdict
    for excuse in verdict.excuses { print("\(scenario), \(way.rawValue): excused: \(excuse)") }
    #expect(verdict.disagreements == [])
  }
}
