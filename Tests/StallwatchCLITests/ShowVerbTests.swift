import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct ShowVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  private func show(_ sample: SampleStore, _ arguments: [String]) throws -> TestRun {
    try TestRun.run([Self.stallwatch, "show", sample.path] + arguments)
  }

  @Test func aStallIsShownFromTheInside() throws {
    let run = try show(try SampleStore(sampled: true), ["1"])
    #expect(run.exitCode == 0)
    #expect(run.errorText == "")
    #expect(run.lines[0].hasPrefix("0x5000 waits for a lock that the thread writer holds in 0x7000. The main loop was"))
    for part in ["Blocked on futex for 9.00 ms.", "The thread writer (4712), in:", "0x5200", "blocked 90 %"] {
      #expect(run.text.contains(part), "\(part)\n\(run.text)")
    }
    #expect(!run.text.contains("\u{1B}"))
  }

  @Test func jsonHasTheSamples() throws {
    let run = try show(try SampleStore(sampled: true), ["2", "--format", "json"])
    let document = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
    #expect(document["schema"] as? String == "stallwatch.stall/1")
    #expect((document["samples"] as? [Any])?.count == 3)
    #expect((document["stall"] as? [String: Any])?["id"] as? Int == 2)
  }

  @Test func aStallThatIsNotThereIsNamed() throws {
    let sample = try SampleStore()
    for id in ["99", "0"] {
      let run = try show(sample, [id])
      #expect(run.exitCode == 2)
      #expect(
        run.errorText
          == "stallwatch: \(sample.path): there is no stall \(id); 'stallwatch stalls' lists all stalls\n")
    }
  }

  @Test(arguments: [["show", "1"], ["report"], ["stalls"], ["export", "--format", "jsonl"]])
  func aFolderOfSymbolsThatIsNoneIsNamed(verb: [String]) throws {
    let sample = try SampleStore(sampled: true)
    let arguments = [verb[0], sample.path] + verb.dropFirst()
    for folder in ["/nowhere/at-all", sample.path] {
      let run = try TestRun.run([Self.stallwatch] + arguments + ["--symbols", folder])
      #expect(run.exitCode == 2)
      #expect(run.errorText.hasPrefix("stallwatch: \(folder): cannot search it for symbols: "))
      #expect(run.errorText.split(separator: "\n").count == 1)
    }
    let empty = try TestDirectory()
    let folders = ["--symbols", empty.path, "--symbols", sample.directory.path]
    #expect(try TestRun.run([Self.stallwatch] + arguments + folders).exitCode == 0)
  }
}

@Suite(.serialized) struct ExportVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  @Test(arguments: ["speedscope", "perfetto", "firefox"])
  func aFileOfTheFormatIsWritten(format: String) throws {
    let sample = try SampleStore(stalls: 5, sampled: true)
    let before = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    let target = sample.directory.file("out.json")
    let run = try TestRun.run([Self.stallwatch, "export", sample.path, "--format", format, "-o", target])
    #expect(run.exitCode == 0)
    #expect(run.errorText == "" && run.text == "")
    let written = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: target)))
    let key = ["speedscope": "profiles", "perfetto": "traceEvents", "firefox": "threads"][format]
    let list = (written as? [String: Any])?[try #require(key)] as? [Any]
    #expect(list?.isEmpty == false)
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == before)
  }

  @Test func linesGoToStdout() throws {
    let sample = try SampleStore(stalls: 5, sampled: true)
    let lines = try TestRun.run([Self.stallwatch, "export", sample.path, "--format", "jsonl"])
    #expect(lines.lines.count == 7)
    let stacks = try TestRun.run([Self.stallwatch, "export", sample.path, "--format", "collapsed"])
    // Four stalls with an odd number, three with an even one, at 9 ms each.
    #expect(
      stacks.lines == [
        "main: stalls;0x5200;0x5101;0x5000 36000", "main: stalls;0x5200;0x5100;0x5000 27000",
        "main: busy time;0x5200;0x5000 300000",
      ])
  }
}
