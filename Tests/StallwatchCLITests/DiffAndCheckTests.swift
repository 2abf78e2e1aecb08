import Foundation
import TestPrograms
import Testing

/// The two verbs that a CI asks.
@Suite(.serialized) struct DiffAndCheckTests {
  private static let stallwatch = Built.product("stallwatch")

  private func budget(_ text: String, in directory: TestDirectory) throws -> String {
    let path = directory.file("budget.toml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test(arguments: ["text", "json", "markdown", "html"])
  func aRecordingDoesNotDifferFromItself(format: String) throws {
    let sample = try SampleStore(stalls: 20, sampled: true, timers: 2)
    let run = try TestRun.run([Self.stallwatch, "diff", sample.path, sample.path, "--format", format])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text.contains(format == "json" ? "\"regression\": false" : "etween these two recordings"))
  }

  @Test func aSideMayBeAFolderOrAPattern() throws {
    let directory = try TestDirectory()
    let sample = try SampleStore(stalls: 20, sampled: true)
    for name in ["main-1", "main-2", "branch-1"] {
      try FileManager.default.copyItem(atPath: sample.path, toPath: directory.file("\(name).stallwatch"))
    }
    for base in [directory.path, directory.file("main-*.stallwatch")] {
      let run = try TestRun.run([
        Self.stallwatch, "diff", base, directory.file("branch-1.stallwatch"), "--format", "json",
      ])
      #expect(run.exitCode == 0, "\(run.errorText)")
      let object = try JSONSerialization.jsonObject(with: Data(run.text.utf8)) as? [String: Any]
      let side = try #require(object?["base"] as? [String: Any])
      #expect((side["stores"] as? [String])?.count == (base == directory.path ? 3 : 2))
      // Copies of one session count once.
      #expect(side["sessions"] as? Int == 1)
    }
    let none = try TestRun.run([Self.stallwatch, "diff", directory.file("no-*.stallwatch"), sample.path])
    #expect(none.exitCode == 2)
    #expect(none.errorText.contains("no store has such a name"))
  }

  @Test func aFolderThatCannotBeReadIsNoEmptyFolder() throws {
    let directory = try TestDirectory()
    let loop = directory.file("loop")
    // A link to itself cannot be read by anybody, root included.
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    let run = try TestRun.run([Self.stallwatch, "diff", "\(loop)/*.stallwatch", "/nowhere/run.stallwatch"])
    #expect(run.exitCode == 2)
    #expect(
      run.errorText == "stallwatch: \(loop)/*.stallwatch: cannot be read; check the rights of its folders\n")
  }

  @Test func aConfidenceThatNothingCanShowIsRefused() throws {
    let sample = try SampleStore()
    let diff = try TestRun.run([Self.stallwatch, "diff", sample.path, sample.path, "--confidence", "0.9999"])
    #expect(diff.exitCode == 2)
    #expect(diff.errorText.contains("--confidence must be above 0 and at most 0.9995"), "\(diff.errorText)")
    let highest = try TestRun.run([Self.stallwatch, "diff", sample.path, sample.path, "--confidence", "0.9995"])
    #expect(highest.exitCode == 0, "\(highest.errorText)")
  }

  @Test func theBaseOfABudgetIsReadForTheSameLoops() throws {
    let (recording, base) = (try FilterStore(), try SampleStore())
    let path = try budget("[base]\nstore = \"\(base.path)\"\n", in: recording.directory)
    let check = { (filter: [String]) in
      try TestRun.run([Self.stallwatch, "check", recording.path, "--budget", path] + filter)
    }
    let other = try check(["--loop", "worker"])
    #expect(other.exitCode == 2)
    #expect(other.errorText.hasPrefix("stallwatch: \(base.path): no loop 'worker'"), "\(other.errorText)")
    // What chooses from the recording alone does not ask the base for it.
    let held = try check(["--loop", "main", "--session", "2", "--annotation", "screen=Feed", "--last", "95s"])
    #expect(held.exitCode == 0, "\(held.errorText)\(held.text)")
  }

  @Test func aDiffOfAMissingStoreNamesIt() throws {
    let sample = try SampleStore()
    let run = try TestRun.run([Self.stallwatch, "diff", sample.path, "/nowhere/run.stallwatch"])
    #expect(run.exitCode == 2)
    #expect(run.errorText == "stallwatch: /nowhere/run.stallwatch: no such file; check the path\n")
    let over = try TestRun.run([Self.stallwatch, "diff", sample.path, sample.path, "-o", sample.path])
    #expect(over.exitCode == 2)
  }

  @Test func aBudgetHoldsOrNot() throws {
    let sample = try SampleStore(stalls: 3, sampled: true, timers: 1)
    let directory = try TestDirectory()
    let wide = try budget(
      """
      # Comments and dates are TOML's.
      [stalls]
      count = 10
      [loop.main.span]
      p99 = "1s"
      [loop."main".mode."kCFRunLoopDefaultMode"]
      utilization = 0.99
      [base]
      store = "\(sample.path)"
      """, in: directory)
    let held = try TestRun.run([Self.stallwatch, "check", sample.path, "--budget", wide])
    #expect(held.exitCode == 0, "\(held.errorText)\(held.text)")
    #expect(held.text.hasPrefix("Within budget: 4 limits held."))
    let narrow = try budget("stalls.hang = 0\nloop.render.stalls = 1\n", in: directory)
    for format in ["text", "json", "junit", "github"] {
      let run = try TestRun.run([Self.stallwatch, "check", sample.path, "--budget", narrow, "--format", format])
      #expect(run.exitCode == 1)
      #expect(run.text.contains("loop.render.stalls"))
      #expect(run.errorText.isEmpty)
    }
  }

  @Test(arguments: [
    ("[stalls\nhang = 0", "line 1"), ("[stalls]\nhangs = 0", "no key stalls.hangs; did you mean hang?"),
    ("[loop.main.spam]\np99 = \"8ms\"", "no key loop.main.spam; did you mean span?"),
    ("[stalls]\nhang = false", "stalls.hang must be a whole number"),
    ("\n" + String(repeating: "a.", count: 20_000) + "a = 1", "line 2: has a key of more than 32 parts"),
    ("[.a]", "line 1: has '.' where a key should be"), ("a = [{b=1}]", "no key a"),
    ("a = [,]", "line 1: has ',' where a value should be"), ("[=]", "line 1: has '=' where a key should be"),
    (String(repeating: "#", count: 1 << 16), "is not a budget file"),
    ("", "sets no limit"), ("[base]\nstore = \"nothing.stallwatch\"", "nothing.stallwatch: no such file"),
    ("[base]\nstore = \"x\"\nconfidence = 0.9999", "base.confidence must be a share above 0 and at most 0.9995"),
    ("[[allow]]\nsignature = \"x\"\nowner = \"y\"\nuntil = \"2027-01-31\"", "allow.until must be a day"),
  ])
  func aBadBudgetIsRefusedInOneLine(text: String, says: String) throws {
    let sample = try SampleStore()
    let directory = try TestDirectory()
    let path = try budget(text, in: directory)
    let run = try TestRun.run([Self.stallwatch, "check", sample.path, "--budget", path])
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains(says), "\(run.errorText)")
    #expect(run.errorText.split(separator: "\n").count == 1)
    #expect(run.text.isEmpty)
  }

  @Test func anAnswerReplacesNothingThatIsRead() throws {
    let (sample, base) = (try SampleStore(), try SampleStore())
    let directory = try TestDirectory()
    let text = "[base]\nstore = \"\(base.path)\"\n"
    let path = try budget(text, in: directory)
    for file in [sample.path, base.path, path] {
      let before = try Data(contentsOf: URL(fileURLWithPath: file))
      let run = try TestRun.run([Self.stallwatch, "check", sample.path, "--budget", path, "-o", file])
      #expect(run.exitCode == 2)
      #expect(run.errorText.hasPrefix("stallwatch: \(file): is "))
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }
  }

  @Test func aMissingBudgetIsNamed() throws {
    let sample = try SampleStore()
    let run = try TestRun.run([Self.stallwatch, "check", sample.path, "--budget", "/nowhere/budget.toml"])
    #expect(run.exitCode == 2)
    #expect(run.errorText.hasPrefix("stallwatch: /nowhere/budget.toml: cannot read the budget"))
    // One that is waited for would be waited for for ever.
    let directory = try TestDirectory()
    #expect(mkfifo(directory.file("pipe"), 0o600) == 0)
    for path in [directory.file("pipe"), directory.path, "/dev/zero"] {
      let odd = try TestRun.run(["/usr/bin/timeout", "60", Self.stallwatch, "check", sample.path, "--budget", path])
      #expect(odd.exitCode == 2)
      #expect(odd.errorText == "stallwatch: \(path): is not a regular file; name a budget file in TOML\n")
    }
    let coloured = try TestRun.run([Self.stallwatch, "check", sample.path, "--budget", "/nowhere/\u{1B}[31mbudget"])
    #expect(coloured.errorText.hasPrefix("stallwatch: /nowhere/\u{FFFD}[31mbudget: cannot read the budget"))
  }
}
