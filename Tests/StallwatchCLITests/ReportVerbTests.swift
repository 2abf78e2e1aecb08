import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct ReportVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  private func report(_ sample: SampleStore, _ options: [String] = [], environment: [String: String] = [:]) throws
    -> TestRun
  {
    try TestRun.run([Self.stallwatch, "report", sample.path] + options, environment: environment)
  }

  private func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func theTextOpensWithTheVerdict() throws {
    let run = try report(try SampleStore())
    #expect(run.exitCode == 0)
    #expect(run.errorText == "")
    #expect(
      run.lines.prefix(2).joined(separator: " ")
        == "The main loop was held 2 times for 872 ms in all; the worst stall lasted 812 ms, in mode "
        + "kCFRunLoopDefaultMode, phase service. By severity: 1 hang, 1 long.")
    #expect(!run.text.contains("\u{1B}"))
  }

  @Test func jsonHasTheStoresFigures() throws {
    let run = try report(try SampleStore(), ["--format", "json"])
    let report = try object(run.output)
    #expect(report["schema"] as? String == "stallwatch.report/1")
    let loop = try #require((report["loops"] as? [[String: Any]])?.first)
    #expect(loop["iterations"] as? Int == 102)
    #expect(loop["busy_ns"] as? Int == 972_000_000)
    #expect(loop["waiting_ns"] as? Int == 5_000_000_000)
    #expect(loop["thread_id"] as? Int == 4_711)
    #expect((loop["span_ns"] as? [String: Any])?["max"] as? Int == 812_000_000)
    let stalls = try #require(report["stalls"] as? [String: Any])
    #expect(stalls["count"] as? Int == 2)
    #expect(stalls["total_ns"] as? Int == 872_000_000)
    let session = try #require((report["sessions"] as? [[String: Any]])?.first)
    #expect(session["ended"] as? String == "clean")
    #expect(session["duration_ns"] as? Int == 10_000_000_000)
    #expect(session["started_at"] as? String == "2026-05-01T10:20:30.000000000Z")
    let health = try #require(report["health"] as? [String: Any])
    #expect(health["wakeups_caused"] as? Int == 12)
  }

  @Test func theFrameBudgetChangesTheJank() throws {
    let sample = try SampleStore()
    let jank = { (budget: String) in
      let loops = try object(try report(sample, ["--format", "json", "--frame-budget", budget]).output)["loops"]
      return try #require((loops as? [[String: Any]])?.first?["jank_ms_per_s"] as? Double)
    }
    #expect(try jank("1s") == 0)
    // One span of 812 ms, 312 ms over the budget, in 972 ms of busy time; a counter there is 0.5 % wide.
    #expect(abs(try jank("500ms") - 1_000 * 312 / 972) < 5)
  }

  @Test func readingLeavesTheStoreAsItWas() throws {
    let sample = try SampleStore()
    let before = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    for options in [[], ["--format", "json"], ["--format", "markdown"]] { _ = try report(sample, options) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: sample.directory.path) == ["sample.stallwatch"])
  }

  @Test func aFileIsReplacedByTheWholeReport() throws {
    let sample = try SampleStore()
    let target = try sample.directory.write("old", to: "report.md", mode: 0o640)
    let run = try report(sample, ["--format", "markdown", "-o", target])
    #expect(run.exitCode == 0)
    #expect(run.text == "")
    #expect(sample.directory.read("report.md").hasPrefix("# Stallwatch report\n"))
    let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: sample.directory.path)) == [
        "sample.stallwatch", "report.md",
      ])
  }

  @Test func aLinkStaysALinkToTheReport() throws {
    let sample = try SampleStore()
    try sample.directory.write("old", to: "target.txt")
    try FileManager.default.createSymbolicLink(
      atPath: sample.directory.file("link.txt"), withDestinationPath: "target.txt")
    #expect(try report(sample, ["-o", sample.directory.file("link.txt")]).exitCode == 0)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: sample.directory.file("link.txt")) == "target.txt")
    #expect(sample.directory.read("target.txt").hasPrefix("The main loop was held"))
  }

  @Test func whatIsNoRegularFileIsWrittenStraight() throws {
    let sample = try SampleStore()
    #expect(try report(sample, ["-o", "/dev/null"]).exitCode == 0)
    #expect(FileManager.default.fileExists(atPath: "/dev/null"))
  }

  @Test func aFileThatCannotBeWrittenToTheEndStaysAsItWas() throws {
    let sample = try SampleStore()
    try sample.directory.write("old", to: "report.txt")
    // A limit of 0 blocks on the size of files stands for a full disk.
    let run = try TestRun.shell(
      "((trap '' XFSZ; ulimit -f 0; exec \"$1\" report \"$2\" -o \"$3\"); echo \"exit $?\") 2>&1 | cat",
      [Self.stallwatch, sample.path, sample.directory.file("report.txt")])
    #expect(run.text.hasPrefix("stallwatch: "))
    #expect(run.lines.count == 2)
    #expect(run.text.contains("report.txt: cannot write"))
    #expect(run.lines.last == "exit 3")
    #expect(sample.directory.read("report.txt") == "old")
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: sample.directory.path)) == [
        "sample.stallwatch", "report.txt",
      ])
  }

  @Test func aFullDiskBehindStdoutIsSaid() throws {
    let sample = try SampleStore()
    let run = try TestRun.shell("\"$1\" report \"$2\" > /dev/full", [Self.stallwatch, sample.path])
    #expect(run.exitCode == 3)
    #expect(run.errorText == "stallwatch: cannot write to stdout: No space left on device\n")
  }

  @Test func aPlaceThatCannotBeWrittenIsNamed() throws {
    let sample = try SampleStore()
    let nowhere = sample.directory.file("none/report.txt")
    let missing = try report(sample, ["-o", nowhere])
    #expect(missing.exitCode == 3)
    #expect(missing.errorText.hasPrefix("stallwatch: \(nowhere): "))
    #expect(missing.errorText.split(separator: "\n").count == 1)
    let directory = try report(sample, ["-o", sample.directory.path])
    #expect(directory.exitCode == 2)
    #expect(directory.errorText.contains("is a directory"))
  }

  @Test func theStoreIsNotReplacedByItsOwnReport() throws {
    let sample = try SampleStore()
    let before = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    try FileManager.default.createSymbolicLink(
      atPath: sample.directory.file("link"), withDestinationPath: sample.path)
    for path in [sample.path, sample.directory.file("link")] {
      let run = try report(sample, ["-o", path])
      #expect(run.exitCode == 2)
      #expect(run.errorText.contains("is the store itself"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == before)
  }

  @Test func noColourIsWrittenWhereNobodyLooks() throws {
    let run = try report(try SampleStore(), environment: ["TERM": "xterm-256color"])
    #expect(!run.text.contains("\u{1B}"))
  }
}

@Suite(.serialized) struct StallsVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  @Test func allStallsAreListed() throws {
    let sample = try SampleStore(stalls: 300)
    let text = try TestRun.run([Self.stallwatch, "stalls", sample.path])
    #expect(text.exitCode == 0)
    // A header, 302 stalls, the sum.
    #expect(text.lines.count == 304)
    let json = try TestRun.run([Self.stallwatch, "stalls", sample.path, "--format", "json"])
    let list = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    #expect(list["schema"] as? String == "stallwatch.stalls/1")
    #expect(list["count"] as? Int == 302)
    let items = try #require(list["items"] as? [[String: Any]])
    #expect(items.count == 302)
    #expect(items[0]["duration_ns"] as? Int == 812_000_000)
    #expect(items[0]["started_ns"] as? Int == 1_001_000_000_000)
  }

  @Test func aReaderWhoHasSeenEnoughIsNoError() throws {
    let sample = try SampleStore(stalls: 3_000)
    for ignoring in ["", "trap '' PIPE; "] {
      let run = try TestRun.shell("\(ignoring)\"$1\" stalls \"$2\" | head -n 1", [Self.stallwatch, sample.path])
      #expect(run.exitCode == 0)
      #expect(run.lines.count == 1)
      #expect(run.errorText == "")
    }
  }

  @Test func theListGoesToAFile() throws {
    let sample = try SampleStore()
    let target = sample.directory.file("stalls.json")
    #expect(
      try TestRun.run([Self.stallwatch, "stalls", sample.path, "--format", "json", "-o", target]).exitCode == 0)
    #expect(sample.directory.read("stalls.json").hasPrefix("{\n  \"schema\": \"stallwatch.stalls/1\""))
  }
}
