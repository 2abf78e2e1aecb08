import Foundation
import TestPrograms
import Testing

/// Programs are found as a shell finds them, with its exit codes.
@Suite(.serialized) struct RecordLookupTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  private func expectFailure(_ command: String, _ status: Int32, saying part: String, path: String? = nil) throws {
    let run = try bench.record([command], environment: path.map { ["PATH": $0] } ?? [:])
    #expect(run.exitCode == status)
    #expect(run.errorText.hasPrefix("stallwatch: "))
    #expect(run.errorText.contains(part))
    #expect(run.errorText.split(separator: "\n").count == 1)
    #expect(run.text == "")
  }

  @Test func `a name is looked for in PATH, an empty part of which is the working directory`() throws {
    try bench.files.write("#!/bin/sh\necho here\n", to: "found", mode: 0o755)
    for path in ["/nonexistent:\(bench.files.path)", ":/nonexistent", "/nonexistent:", "."] {
      #expect(try bench.record(["found"], environment: ["PATH": path]).text == "here\n", "PATH=\(path)")
    }
    try expectFailure("found", 127, saying: "found: no such program", path: "/usr/bin:/bin")
  }

  @Test func `a file that is not executable is passed over for one that is`() throws {
    let first = try TestDirectory()
    try first.write("#!/bin/sh\necho first\n", to: "twice", mode: 0o644)
    try bench.files.write("#!/bin/sh\necho second\n", to: "twice", mode: 0o755)
    let path = "\(first.path):\(bench.files.path)"
    #expect(try bench.record(["twice"], environment: ["PATH": path]).text == "second\n")
    try expectFailure("twice", 126, saying: "is not executable", path: first.path)
  }

  @Test func `what is not there is 127, what cannot be run is 126`() throws {
    try expectFailure("/nonexistent/program", 127, saying: "no such program")
    try expectFailure("", 127, saying: "no such program")
    try expectFailure(bench.files.path, 126, saying: "is a directory")
    let interpreted = try bench.files.write("#!/nonexistent/interpreter\n", to: "orphan", mode: 0o755)
    try expectFailure(interpreted, 126, saying: "interpreter")
  }

  @Test func `a script without an interpreter line is run by the shell`() throws {
    let script = try bench.files.write("echo $0 $1\n", to: "plain", mode: 0o755)
    #expect(try bench.record([script, "argument"]).text == "\(script) argument\n")
  }

  @Test func `a command line without a program is bad use`() throws {
    for arguments in [["record"], ["record", "--"], ["record", "--quiet"]] {
      let run = try TestRun.run([RecordBench.stallwatch] + arguments)
      #expect(run.exitCode == 2)
      #expect(run.errorText.contains("There is no program to record: name it after the options."))
    }
  }

  @Test(arguments: [[], ["--"]])
  func `what follows the program is the program's, with and without two dashes before it`(dashes: [String]) throws {
    let command = ["echo", "-o", "--quiet", "--", "--help", "-n"]
    let run = try TestRun.run(
      [RecordBench.stallwatch] + bench.options + dashes + command, environment: bench.environment,
      directory: bench.files.path)
    #expect(run.exitCode == 0)
    #expect(run.text == "-o --quiet -- --help -n\n")
  }

  @Test func `a program whose name looks like an option goes after two dashes`() throws {
    try bench.files.write("#!/bin/sh\necho odd\n", to: "--odd", mode: 0o755)
    #expect(try bench.record(["--odd"], environment: ["PATH": bench.files.path]).text == "odd\n")
    let run = try TestRun.run([RecordBench.stallwatch] + bench.options + ["--odd"], directory: bench.files.path)
    #expect(run.exitCode == 2)
    #expect(run.errorText == "stallwatch: Unknown option '--odd'. (see 'stallwatch record --help')\n")
  }

  @Test func `help is given also after other options`() throws {
    let run = try TestRun.run([RecordBench.stallwatch, "record", "--quiet", "--help"])
    #expect(run.exitCode == 0)
    #expect(run.lines.contains { $0.hasPrefix("USAGE: stallwatch record ") })
  }
}
