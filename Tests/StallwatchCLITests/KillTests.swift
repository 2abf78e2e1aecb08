import Foundation
import TestPrograms
import Testing

/// Programs that are killed while they are recorded: a short form of `tools/judge/kill-test`.
@Suite(.serialized) struct KillTests {
  @Test func `a killed program leaves a whole store, its session killed and its open stalls fatal`() throws {
    let bench = try RecordBench()
    let run = try TestRun.run(
      [
        "/usr/bin/env", "python3", "\(Built.package)/tools/judge/kill-test", "10", "--seed", "5", "--products",
        Built.products,
      ],
      environment: bench.environment.merging(["TMPDIR": bench.files.path]) { $1 })
    #expect(run.exitCode == 0, "\(run.text)\(run.errorText)")
    #expect(run.lines.last == "pass")
    #expect(run.text.contains("kills                    10\n"))
  }

  @Test func `bad use of the script is refused`() throws {
    let script = "\(Built.package)/tools/judge/kill-test"
    #expect(try TestRun.run(["/usr/bin/env", "python3", script, "none"]).exitCode == 2)
    #expect(try TestRun.run(["/usr/bin/env", "python3", script, "0"]).exitCode == 2)
  }
}
