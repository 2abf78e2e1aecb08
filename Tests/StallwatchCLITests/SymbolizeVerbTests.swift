import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct SymbolizeVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  @Test(arguments: [
    ["symbolize"], ["symbolize", "nothing"], ["symbolize", "/dev/null"],
    ["symbolize", "/etc/passwd"], ["symbolize", "nothing", "--symbols", "/no/such/folder"],
    ["symbolize", "nothing", "--format", "html"],
  ])
  func badUseIsOneLine(_ arguments: [String]) throws {
    let run = try TestRun.run([Self.stallwatch] + arguments)
    #expect(run.exitCode == 2)
    #expect(run.text.isEmpty && run.errorText.split(separator: "\n").count == 1, "\(run.errorText)")
  }

  @Test func itSaysWhatHasNames() throws {
    let sample = try SampleStore(stalls: 5, sampled: true)
    let run = try TestRun.run([Self.stallwatch, "symbolize", sample.path])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text == "0 addresses named, 0 of them new, in 1 session\n")
    let json = try TestRun.run([Self.stallwatch, "symbolize", sample.path, "--format", "json"])
    let answer = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    #expect(answer["schema"] as? String == "stallwatch.symbolize/1")
    #expect(Set(answer.keys) == ["schema", "sessions", "named", "new", "unnamed", "symbols"])
  }

  @Test func aDamagedStoreStaysAsItIs() throws {
    let sample = try SampleStore(stalls: 5, sampled: true)
    let sql = "UPDATE stacks SET frames = x'ffff'"
    let change = try TestRun.run(["/usr/bin/env", "sqlite3", sample.path, sql])
    #expect(change.exitCode == 0, "\(change.errorText)")
    let content = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    let run = try TestRun.run([Self.stallwatch, "symbolize", sample.path])
    #expect(run.exitCode == 2)
    #expect(run.text.isEmpty && run.errorText.contains("is damaged"), "\(run.errorText)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == content)
  }
}
