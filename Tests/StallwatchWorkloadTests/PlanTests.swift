import Foundation
import Testing

@Suite(.serialized) struct PlanTests {
  private func plan(_ arguments: String...) throws -> [(loop: String, step: [String: Any])] {
    let outcome = try WorkloadProcess(["--plan"] + arguments).finish()
    try #require(outcome.status == 0)
    return try jsonLines(outcome.output).map { ($0["loop"] as? String ?? "", $0["step"] as? [String: Any] ?? [:]) }
  }

  private func hold(_ step: [String: Any]) -> [String: Any]? { step["hold"] as? [String: Any] }
  private func nested(_ step: [String: Any]) -> [[String: Any]] { step["nested"] as? [[String: Any]] ?? [] }
  private func milliseconds(_ hold: [String: Any]) -> Double { (hold["length"] as? Double ?? 0) / 1e6 }

  @Test func theSameSeedMakesTheSamePlan() throws {
    let first = try WorkloadProcess.run("--plan", "--seed", "7").output
    #expect(try WorkloadProcess.run("--plan", "--seed", "7").output == first)
    #expect(try WorkloadProcess.run("--plan", "--seed", "8").output != first)
  }

  @Test func itHoldsAsManyStallsAsAskedForAndAQuarterAsManyNearMisses() throws {
    let holds = try plan("--stalls", "80", "--min-stall", "60ms", "--max-stall", "300ms").compactMap { hold($0.step) }
    let nearMisses = holds.filter { milliseconds($0) < 50 }
    #expect(holds.count - nearMisses.count == 80)
    #expect(nearMisses.count == 20)
    #expect(nearMisses.allSatisfy { (35...46).contains(milliseconds($0)) })
    #expect(holds.allSatisfy { milliseconds($0) < 50 || (60...300).contains(milliseconds($0)) })
  }

  @Test func everyKindOfHoldInEveryCalloutComesUp() throws {
    let steps = try plan("--stalls", "400").map(\.step)
    let holds = steps.compactMap(hold)
    let pairs = Set(holds.map { "\($0["how"] ?? "") in \($0["callout"] ?? "")" })
    #expect(pairs.count == 25)
    #expect(Set(holds.compactMap { $0["activity"] as? String }).count == 6)
    #expect(Set(holds.compactMap { $0["lock"] as? String }).count == 3)
    #expect(Set(steps.map { nested($0).count }) == [0, 1, 2])
    #expect(steps.contains { hold($0) == nil && !nested($0).isEmpty })
    #expect(steps.contains { $0["inCommonModes"] as? Bool == true })
  }

  @Test func theMainQueueIsUsedOnlyWhereTheMainLoopServesIt() throws {
    for (loop, step) in try plan("--stalls", "400", "--nested", "0.8") {
      var modes = [step["mode"] as? String ?? ""]
      var callouts: [String] = []
      for run in nested(step) {
        callouts.append(run["callout"] as? String ?? "")
        modes.append(run["mode"] as? String ?? "")
      }
      if let callout = hold(step)?["callout"] as? String { callouts.append(callout) }
      for (mode, callout) in zip(modes, callouts) where callout == "main-queue" {
        #expect(loop == "main")
        #expect(!mode.hasPrefix("WorkloadPrivate"))
      }
      #expect(callouts.filter { $0 == "main-queue" }.count <= 1)
    }
  }

  @Test func privateModesAreMadeOneAfterTheOther() throws {
    let steps = try plan("--stalls", "200", "--modes", "3", "--nested", "0").map(\.step)
      .sorted { ($0["number"] as? Int ?? 0) < ($1["number"] as? Int ?? 0) }
    let first = (1...3).map { number in steps.firstIndex { $0["mode"] as? String == "WorkloadPrivate\(number)" } }
    #expect(first.allSatisfy { $0 != nil })
    #expect(first.compactMap { $0 } == first.compactMap { $0 }.sorted())
    #expect(first.compactMap { $0 }.allSatisfy { $0 >= 40 })
  }

  @Test func withoutThreadsModesAndNestingTheMainLoopStaysInItsCommonModes() throws {
    let steps = try plan("--threads", "0", "--modes", "0", "--nested", "0")
    #expect(steps.allSatisfy { $0.loop == "main" && nested($0.step).isEmpty })
    #expect(Set(steps.compactMap { $0.step["mode"] as? String }) == ["kCFRunLoopDefaultMode", "WorkloadTracking"])
  }
}
