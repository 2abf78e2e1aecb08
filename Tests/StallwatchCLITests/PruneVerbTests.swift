import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct PruneVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  @Test(arguments: [
    ["prune"], ["prune", "a"], ["prune", "a", "--older-than", "7"], ["prune", "a", "--max-size", "64"],
    ["prune", "a", "--older-than", "1min"], ["compact"], ["prune", "nothing", "--older-than", "7d"],
    ["compact", "nothing"], ["record", "--keep", "7", "true"], ["record", "--keep", "7d,", "true"],
  ])
  func badUseIsOneLine(_ arguments: [String]) throws {
    let run = try TestRun.run([Self.stallwatch] + arguments)
    #expect(run.exitCode == 2)
    #expect(run.text.isEmpty && run.errorText.split(separator: "\n").count == 1, "\(run.errorText)")
  }

  @Test func whatADryRunSaysIsWhatIsRemoved() throws {
    let sample = try SampleStore(stalls: 5, sampled: true)
    let content = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    // The sample's session began in 2026 or before.
    let prune = [Self.stallwatch, "prune", sample.path, "--older-than", "1h", "--format", "json"]
    let dry = try TestRun.run(prune + ["--dry-run"])
    #expect(dry.exitCode == 0, "\(dry.errorText)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == content)
    let done = try TestRun.run(prune)
    #expect(done.exitCode == 0, "\(done.errorText)")
    #expect(done.text == dry.text.replacing("\"dry_run\": true", with: "\"dry_run\": false"))
    let compacted = try TestRun.run([Self.stallwatch, "compact", sample.path])
    #expect(compacted.exitCode == 0, "\(compacted.errorText)")
    #expect(try TestRun.run([Self.stallwatch, "report", sample.path]).exitCode == 0)
  }
}
