import Foundation
import Testing

@Suite(.serialized) struct OptionsTests {
  @Test func helpHasAnExampleAndExitsWith0() throws {
    let outcome = try WorkloadProcess.run("--help")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("EXAMPLE: "))
    #expect(outcome.errors.isEmpty)
  }

  @Test(
    arguments: [
      ["--stalls", "many"], ["--stalls", "-1"], ["--seed"], ["--colour", "red"], ["--idle", "5"], ["--idle", "0ms"],
      ["--nested", "1.5"], ["--min-stall", "2s", "--max-stall", "1s"], ["--truth", "/no/such/directory/truth.jsonl"],
    ])
  func badArgumentsGiveOneLineAndExitWith2(arguments: [String]) throws {
    let outcome = try WorkloadProcess(arguments).finish()
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("stallwatch-workload: "))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test func badArgumentsLeaveAnOldTruthAlone() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("truth.jsonl")
    try "old".write(toFile: path, atomically: true, encoding: .utf8)
    let outcome = try WorkloadProcess.run("--truth", path, "--stalls", "many")
    #expect(outcome.status == 2)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }
}
