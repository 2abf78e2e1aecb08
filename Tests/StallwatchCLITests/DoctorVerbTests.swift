import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct DoctorVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  private func findings(_ run: TestRun) throws -> (canRecord: Bool, byTopic: [String: [String: Any]]) {
    let report = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
    #expect(report["schema"] as? String == "stallwatch.doctor/1")
    let findings = try #require(report["findings"] as? [[String: Any]])
    let canRecord = try #require(report["can_record"] as? Bool)
    return (canRecord, Dictionary(uniqueKeysWithValues: findings.map { ($0["topic"] as? String ?? "", $0) }))
  }

  /// Recording is possible with the libraries of this build.
  private func libraries() throws -> String {
    let directory = try TestDirectory(shared: "libraries")
    try Built.preload(into: directory.path)
    return directory.path
  }

  @Test func aWholeInstallationCanRecord() throws {
    let run = try TestRun.run(
      [Self.stallwatch, "doctor", "--format", "json"], environment: ["STALLWATCH_LIBRARIES": try libraries()])
    let (canRecord, findings) = try findings(run)
    #expect(canRecord)
    #expect(run.exitCode == 0)
    #expect(run.errorText == "")
    for topic in [
      "system", "monotonic clock", "libsqlite3", "injected libraries", "Swift runtime", "awaiting functions",
      "privileges",
    ] {
      #expect(findings[topic]?["status"] as? String == "good", "\(topic)")
    }
  }

  @Test func withoutTheLibrariesItSaysSoAndExitsWith3() throws {
    // A copy stands alone: nothing is beside it.
    let directory = try TestDirectory()
    let copy = directory.file("stallwatch")
    try FileManager.default.copyItem(atPath: Self.stallwatch, toPath: copy)
    let run = try TestRun.run([copy, "doctor"])
    #expect(run.exitCode == 3)
    #expect(run.lines.first == "Recording is not possible: injected libraries.")
    #expect(run.errorText == "stallwatch: recording is not possible: injected libraries: not found\n")
  }

  @Test func aProgramThatCannotBeWatchedIsAnObstacle() throws {
    let directory = try TestDirectory()
    let source = try directory.write("int main(void) { return 0; }\n", to: "main.c")
    try Built.c([source], to: directory.file("still"), flags: ["-static"])
    let run = try TestRun.run(
      [Self.stallwatch, "doctor", directory.file("still"), "--format", "json"],
      environment: ["STALLWATCH_LIBRARIES": try libraries()])
    let (canRecord, findings) = try findings(run)
    #expect(!canRecord)
    #expect(run.exitCode == 3)
    #expect(findings["program"]?["status"] as? String == "obstacle")
    #expect(run.errorText == "stallwatch: recording is not possible: program: statically linked\n")
  }

  @Test func aProgramWithoutSwiftIsALimit() throws {
    let run = try TestRun.run(
      [Self.stallwatch, "doctor", "sh", "--format", "json"], environment: ["STALLWATCH_LIBRARIES": try libraries()])
    #expect(run.exitCode == 0)
    let findings = try findings(run).byTopic
    #expect(findings["program"]?["status"] as? String == "limit")
    #expect(findings["lanes"] == nil)
  }

  @Test func itNamesTheLanesOfAProgramThatWillBeSeenAndThoseThatWillNot() throws {
    let run = try TestRun.run(
      [Self.stallwatch, "doctor", Built.product("dispatch-queues"), "--format", "json"],
      environment: ["STALLWATCH_LIBRARIES": try libraries()])
    let lanes = try #require(try findings(run).byTopic["lanes"])
    let value = try #require(lanes["value"] as? String)
    for lane in ["run loops", "event loops", "main queue and actor", "queues", "pool"] { #expect(value.contains(lane)) }
    #expect(lanes["remark"] as? String == "Not seen: for how long events of sources wait.")
  }
}
