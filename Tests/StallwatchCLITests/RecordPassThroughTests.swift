import Foundation
import TestPrograms
import Testing

/// A recorded program runs as if the shell had run it.
@Suite(.serialized) struct RecordPassThroughTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  @Test(arguments: [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 143), ("kill -KILL $$", 137)])
  func `the program's exit status is ours`(script: String, status: Int32) throws {
    #expect(try bench.record(["sh", "-c", script]).exitCode == status)
  }

  @Test func `stdin and stdout pass through byte for byte`() throws {
    let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })
    let run = try bench.record(["cat"], input: bytes)
    #expect(run.output == bytes)
    #expect(run.exitCode == 0)
  }

  @Test func `arguments pass through byte for byte`() throws {
    let script = #"$record printf '%s|' "$(printf 'a\377b')" '' -- -o '*' 'two words' | od -An -c"#
    let plain = try bench.shell(script.replacingOccurrences(of: "$record", with: "env"))
    #expect(try bench.shell(script).text == plain.text)
    #expect(plain.text.contains("377"))
  }

  @Test func `stderr holds the program's words and ours, each on its line`() throws {
    let run = try bench.record(["sh", "-c", "echo trouble >&2"])
    #expect(run.errorText.hasPrefix("trouble\nstallwatch: "))
    #expect(run.text == "")
  }

  @Test(arguments: ["", "trap '' INT;", "trap '' HUP QUIT TERM INT;", "trap '' CHLD;"])
  func `the program inherits signal dispositions and mask as we got them`(setting: String) throws {
    let probe = "grep '^Sig\\(Ign\\|Blk\\|Cgt\\)' /proc/self/status"
    let plain = try bench.shell("\(setting) exec \(probe)")
    let recorded = try bench.shell("\(setting) exec $record \(probe)")
    #expect(plain.lines.count == 3)
    #expect(recorded.lines == plain.lines)
  }

  @Test func `the program stays in our process group and session, with our open files`() throws {
    let probe = "sh -c 'cut -d\" \" -f5,6 /proc/self/stat; ls /proc/self/fd | wc -l'"
    let run = try bench.shell("\(probe); $record \(probe)")
    #expect(run.lines.count == 4)
    #expect(run.lines.prefix(2) == run.lines.suffix(2))
  }

  @Test func `the environment changes by the preload and our own variables alone`() throws {
    func variables(_ run: TestRun) -> Set<String> {
      Set(run.lines.filter { !$0.hasPrefix("LD_PRELOAD=") && !$0.hasPrefix("STALLWATCH_") && !$0.hasPrefix("_=") })
    }
    let odd = ["LD_PRELOAD": "/nonexistent/first.so:/nonexistent/second.so", "ODD": "a=b=c"]
    let run = try bench.record(["env"], environment: odd)
    #expect(
      variables(run) == variables(try TestRun.run(["/usr/bin/env"], environment: odd, directory: bench.files.path)))
    let preload = try #require(run.lines.first { $0.hasPrefix("LD_PRELOAD=") })
    #expect(preload.hasSuffix("libStallwatchPreload.so:/nonexistent/first.so:/nonexistent/second.so"))
  }

  /// Until the program under test has made `name`.
  private func waitForFile(_ name: String) throws {
    let deadline = Date(timeIntervalSinceNow: 60)
    while !FileManager.default.fileExists(atPath: bench.files.file(name)) {
      try #require(Date() < deadline, "the program never made \(name)")
      usleep(2_000)
    }
  }
}
