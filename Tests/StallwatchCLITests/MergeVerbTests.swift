import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct MergeVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  @Test func aMergedStoreReportsWhatItsPartsDo() throws {
    let sample = try SampleStore(stalls: 5, sampled: true, timers: 2)
    let directory = try TestDirectory()
    let target = directory.file("all.stallwatch")
    let run = try TestRun.run([Self.stallwatch, "merge", "-o", target, sample.path])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text == "1 session added, 0 replaced, 0 already there, from 1 store\n")
    let reports = try [sample.path, target].map {
      try TestRun.run([Self.stallwatch, "report", $0, "--format", "json"]).text
    }
    #expect(reports[0].contains("\"count\": 7"))
    #expect(reports[0] == reports[1])
    let content = try Data(contentsOf: URL(fileURLWithPath: target))
    let again = try TestRun.run([Self.stallwatch, "merge", "-o", target, sample.path, sample.path])
    #expect(again.text == "0 sessions added, 0 replaced, 2 already there, from 2 stores\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == content)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["all.stallwatch"])
  }

  @Test func aDamagedStoreIsNamedAndLeftOut() throws {
    let sample = try SampleStore()
    let directory = try TestDirectory()
    let (target, text) = (directory.file("all.stallwatch"), directory.file("text"))
    try Data("hello".utf8).write(to: URL(fileURLWithPath: text))
    let run = try TestRun.run([Self.stallwatch, "merge", "-o", target, text, sample.path, directory.file("nothing")])
    #expect(run.exitCode == 2)
    #expect(run.text == "1 session added, 0 replaced, 0 already there, from 1 store\n")
    #expect(run.errorText.contains("left out: \(text): is not a Stallwatch store"))
    #expect(run.errorText.contains("left out: \(directory.file("nothing")): no such file"))
    #expect(run.errorText.split(separator: "\n").count == 3)
    #expect(try TestRun.run([Self.stallwatch, "report", target]).exitCode == 0)
  }

  @Test func nothingToMergeLeavesNothingBehind() throws {
    let directory = try TestDirectory()
    let target = directory.file("all.stallwatch")
    let run = try TestRun.run([Self.stallwatch, "merge", "-o", target, directory.file("nothing")])
    #expect(run.exitCode == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test func aFileThatIsNoStoreIsNotMergedInto() throws {
    let sample = try SampleStore()
    let directory = try TestDirectory()
    let text = directory.file("text")
    try Data("hello, this is no store, whatever it is called\n".utf8).write(to: URL(fileURLWithPath: text))
    let run = try TestRun.run([Self.stallwatch, "merge", "-o", text, sample.path])
    #expect(run.exitCode == 2)
    #expect(
      run.errorText
        == "stallwatch: \(text): is not a Stallwatch store; name a file that stallwatch record or the library wrote\n")
    #expect(try String(contentsOfFile: text, encoding: .utf8) == "hello, this is no store, whatever it is called\n")
  }

  @Test func aStoreIsNotMergedIntoItself() throws {
    let sample = try SampleStore()
    let content = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    let run = try TestRun.run([Self.stallwatch, "merge", "-o", sample.path, sample.path])
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains("is the store to merge into"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == content)
  }
}
