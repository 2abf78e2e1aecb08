import Foundation
import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchStore

/// What a recording leaves in its store.
@Suite(.serialized) struct RecordSessionTests {
  private let bench: RecordBench
  private let program: String

  init() throws {
    bench = try RecordBench()
    program = try bench.swift(
      """
      import Foundation
      RunLoop.main.add(Timer(timeInterval: 0.001, repeats: true) { _ in }, forMode: .default)
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
      for word in CommandLine.arguments { switch word {
      case "fail": exit(7)
      case "wait": while access("go", F_OK) != 0 { usleep(1_000) }
      case "die": kill(getpid(), SIGKILL)
      default: break
      } }
      """)
  }

  private func sessions() throws -> [StoredSession] {
    try StoreReader(path: bench.files.file("store.stallwatch")).sessions()
  }

  @Test func `a session tells its command, its origin, and how the program ended`() throws {
    let run = try bench.record([program, "fail"])
    #expect(run.exitCode == 7)
    #expect(run.errorText == "")
    let session = try #require(try sessions().first)
    #expect(session.record.command == [program, "fail"])
    #expect(session.record.origin == "injected")
    #expect(session.exitStatus == 7)
    #expect(session.ended == .clean)
  }

  @Test func `a session says what the options and the environment say of it`() throws {
    let run = try bench.record(
      [program],
      options: [
        "--service", "checkout", "--release", "4.2.0", "--environment", "staging", "--instance", "web-1", "--tag",
        "region=eu, west", "--tag", "share=50%",
      ], environment: ["STALLWATCH_RELEASE": "1", "STALLWATCH_TAGS": "region=us,tier=free"])
    #expect(run.exitCode == 0 && run.errorText == "")
    let record = try #require(try sessions().first).record
    #expect(
      record.labels
        == SessionLabels(
          service: "checkout", release: "4.2.0", environment: "staging", instance: "web-1",
          tags: ["region": "eu, west", "share": "50%", "tier": "free"]))
    // The build-id is that of the program's file.
    let id = try TestRun.run(["/usr/bin/env", "readelf", "-n", program]).text
    #expect(id.contains("Build ID: \(try #require(record.programBuildID))"))
  }

  @Test func `programs that a program starts say the same`() throws {
    _ = try bench.record(["/bin/sh", "-c", "\(program); \(program)"], options: ["--release", "7", "--tag", "a=b"])
    let labels = try sessions().map(\.record.labels)
    #expect(labels == Array(repeating: SessionLabels(release: "7", tags: ["a": "b"]), count: 2))
  }

  @Test(
    arguments: [
      (["--release", ""], [:], "must be a text of 1 to 256 bytes"), (["--tag", "a b=c"], [:], "NAME=VALUE"),
      (["--tag", "a=b", "--tag", "a=c"], [:], "twice"),
      ([], ["STALLWATCH_RELEASE": "a\nb"], "STALLWATCH_RELEASE is"),
      ([], ["STALLWATCH_TAGS": "a"], "STALLWATCH_TAGS is “a”; it must be at most 32 tags"),
    ] as [([String], [String: String], String)])
  func `what is no label is refused before the program runs`(
    options: [String], environment: [String: String], answer: String
  ) throws {
    let run = try bench.record([program, "fail"], options: options, environment: environment)
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains(answer), "\(run.errorText)")
  }

  @Test func `a program that was killed is killed in the store`() throws {
    let run = try bench.record([program, "wait", "die"]) { _ in
      while (try? sessions().first) == nil { usleep(1_000) }
      _ = try bench.files.write("", to: "go")
    }
    #expect(run.exitCode == 137)
    let session = try #require(try sessions().first)
    #expect(session.ended == .killed)
    #expect(session.exitStatus == 137)
  }

  @Test func `a program that dies before its store is open is named`() throws {
    #expect(try bench.record([program]).exitCode == 0)
    // Nobody can open it while it is locked.
    let lock = try WritableStore.open(bench.files.file("store.stallwatch"), creating: false, busyTimeout: 0)
    try lock.run("BEGIN EXCLUSIVE")
    let run = try bench.record([program, "die"])
    #expect(run.exitCode == 137)
    #expect(run.errorText.contains("program (process "), "\(run.errorText)")
    #expect(run.errorText.contains("before its store was open, so nothing of it is recorded"))
    #expect(run.errorText.split(separator: "\n").count == 1)
  }

  @Test func `timers are known by where a program made them, also if it is linked with hooks`() throws {
    let run = try bench.record([Built.product("hooked-timers"), "life"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let reader = try StoreReader(path: bench.files.file("store.stallwatch"))
    let timers = try reader.timers(session: try #require(try reader.sessions().first).id)
    // Those that count for themselves, one of Foundation's, and one-shots.
    #expect(Set(timers.map(\.record.origin)).count >= 3)
    #expect(!timers.contains { $0.record.origin == 0 })
  }

  @Test func `the threshold reaches the monitor`() throws {
    let path = bench.files.file("own.stallwatch")
    let run = try TestRun.run(
      [RecordBench.stallwatch, "record", "-o", path, "--threshold", "20ms", "--quiet", "--", program],
      environment: bench.environment)
    #expect(run.exitCode == 0)
    #expect(try StoreReader(path: path).sessions().map(\.record.threshold) == [20_000_000])
  }

  @Test func `programs that the program starts become sessions of the same store, and later runs are added`() throws {
    #expect(try bench.record(["sh", "-c", "\(program) fail; \(program)"]).exitCode == 0)
    #expect(try sessions().map(\.record.command) == [[program, "fail"], [program]])
    // Their parent waited for them, not we.
    #expect(try sessions().map(\.exitStatus) == [nil, nil])
    #expect(try bench.record([program]).exitCode == 0)
    #expect(try sessions().count == 3)
  }

  @Test func `a new store is named for the program and the moment, and summed up on stderr`() throws {
    let run = try TestRun.run(
      [RecordBench.stallwatch, "record", "--", program], environment: bench.environment, directory: bench.files.path)
    let stores = try FileManager.default.contentsOfDirectory(atPath: bench.files.path)
      .filter { $0.hasSuffix(".stallwatch") }
    let name = try #require(stores.first)
    #expect(stores.count == 1)
    #expect(name.wholeMatch(of: /program-\d{8}-\d{6}\.stallwatch/) != nil)
    #expect(run.errorText.contains("stallwatch report \(name)"))
    #expect(run.errorText.split(separator: "\n", omittingEmptySubsequences: false).count <= 25)
    #expect(run.text == "")
  }

  @Test func `a stderr that nobody reads does not change the status`() throws {
    let run = try bench.shell("{ ${record% --quiet --} -- \(program) fail; echo $? >status; } 2>&1 >/dev/null | true")
    #expect(run.exitCode == 0)
    #expect(bench.files.read("status") == "7\n")
  }

  @Test func `the demo reports the workload's stalls`() throws {
    let path = bench.files.file("demo.stallwatch")
    let run = try TestRun.run(
      [RecordBench.stallwatch, "demo", "--seconds", "1", "-o", path], environment: bench.environment)
    #expect(run.exitCode == 0)
    #expect(run.text.contains("STALLS"))
    let stalls = try StoreReader(path: path).worstStalls(limit: 100)
    #expect(stalls.count >= 5)
  }
}
