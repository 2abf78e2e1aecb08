import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// Signals to `record` do what they would do to the program.
@Suite(.serialized) struct RecordSignalTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  /// A text for a shell that handles signals as a program does that nobody has told to ignore any: a test may run where
  /// some are ignored.
  private func shell(_ script: String) -> [String] { ["env", "--default-signal", "sh", "-c", script] }

  /// Waits for a signal, and not for ever.
  private static let sleep = "for i in $(seq 6000); do sleep 0.01; done; exit 99"

  /// Waits until `condition` holds; what it waits for comes, however busy the machine is.
  private func wait(for what: String, until condition: () -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 60)
    while !condition() {
      try #require(Date() < deadline, "waited in vain for \(what)")
      usleep(2_000)
    }
  }

  private func waitForFile(_ name: String) throws {
    try wait(for: name) { !bench.files.read(name).isEmpty }
  }

  /// The state of a process, as proc_pid_stat(5) has it: `S` sleeps, `T` is stopped.
  private func state(of process: Int32) -> Character? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
    return text[text.index(after: text.lastIndex(of: ")")!)...].first { $0 != " " }
  }

  private static let handled: [(name: String, number: Int32)] = [
    ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("TERM", SIGTERM), ("USR1", SIGUSR1), ("USR2", SIGUSR2),
    ("ALRM", SIGALRM), ("WINCH", SIGWINCH),
  ]

  @Test(arguments: 0..<handled.count) func `one that is sent to us reaches the program`(index: Int) throws {
    let (name, number) = Self.handled[index]
    let script = "trap 'exit 31' \(name); echo ready >ready; \(Self.sleep)"
    let run = try bench.record(shell(script)) { process in
      try waitForFile("ready")
      kill(process, number)
    }
    #expect(run.exitCode == 31)
  }

  @Test(arguments: [("INT", 130), ("QUIT", 131), ("TERM", 143), ("USR1", 138), ("USR2", 140), ("ALRM", 142)])
  func `one that ends a program ends this one, and we say so`(name: String, status: Int32) throws {
    let script = "ulimit -c 0; echo ready >ready; \(Self.sleep)"
    let run = try bench.record(shell(script)) { process in
      try waitForFile("ready")
      #expect(try TestRun.shell("kill -\(name) \(process)").exitCode == 0)
    }
    #expect(run.exitCode == status)
  }

  @Test func `one that the program ignores leaves us waiting for its end`() throws {
    let script = """
      trap '' INT QUIT USR1 USR2 HUP TERM; echo ready >ready
      while [ ! -e go ]; do sleep 0.01; done; exit 5
      """
    let run = try bench.record(shell(script)) { process in
      try waitForFile("ready")
      for signal in [SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGHUP, SIGTERM] { kill(process, signal) }
      try bench.files.write("", to: "go")
    }
    #expect(run.exitCode == 5)
  }

  @Test func `a stop stops both, and continuing continues both`() throws {
    let script = "echo $$ >ready; while [ ! -e go ]; do sleep 0.01; done; exit 6"
    let run = try bench.record(shell(script)) { process in
      try waitForFile("ready")
      let program = try #require(Int32(bench.files.read("ready").dropLast()))
      kill(process, SIGTSTP)
      try wait(for: "the program's stop") { state(of: program) == "T" }
      try wait(for: "our own stop") { state(of: process) == "T" }
      kill(process, SIGCONT)
      try wait(for: "the program's going on") { state(of: program) != "T" }
      try bench.files.write("", to: "go")
    }
    #expect(run.exitCode == 6)
  }

  @Test func `a kill leaves nothing of ours behind, and the program as it was`() throws {
    let directory = bench.files.file("tmp")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let script = "echo $$ >ready; while [ ! -e go ]; do sleep 0.01; done; echo over >over"
    let run = try bench.record(shell(script), environment: ["TMPDIR": directory]) { process in
      try waitForFile("ready")
      kill(process, SIGKILL)
      try wait(for: "our end") { state(of: process) == "Z" || state(of: process) == nil }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
      try bench.files.write("", to: "go")
    }
    #expect(run.exitCode == 137)
    try waitForFile("over")
  }
}
