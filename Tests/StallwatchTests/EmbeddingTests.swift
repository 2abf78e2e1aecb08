import Foundation
import StallwatchCore
import StallwatchStore
import TestPrograms
import Testing

/// Programs that embed the monitor, from outside.
@Suite("A program that embeds the monitor", .serialized)
struct EmbeddingTests {
  @Test("is the README's example, which prints its stall with its annotation")
  func readmeExample() throws {
    let source = try String(
      contentsOfFile: "\(Built.package)/Tests/Programs/ReadmeExample/main.swift", encoding: .utf8)
    let readme = try String(contentsOfFile: "\(Built.package)/README.md", encoding: .utf8)
    #expect(readme.contains(source), "README.md shows another example than Tests/Programs/ReadmeExample")
    let (directory, run) = try printedExample()
    let held = try #require(run.text.firstMatch(of: /main was held for ([\d.]+) seconds/)?.1)
    #expect(try #require(Double(held)) >= 0.12)
    #expect(run.text.contains(#"["screen": "Settings"]"#))
    let reader = try StoreReader(path: "\(directory.path)/app.stallwatch")
    #expect(try reader.sessions().map(\.ended) == [.clean])
    let stall = try #require(try reader.worstStalls(limit: 1).first)
    #expect(stall.duration >= 120 * .millisecond)
    #expect(stall.began.annotations == ["screen": "Settings"])
  }

  /// Runs the example until its task printed something before its main thread ended the program, which a busy machine may
  /// let come first.
  private func printedExample() throws -> (TestDirectory, TestRun) {
    for _ in 0..<10 {
      let directory = try TestDirectory()
      let run = try TestRun.run([Built.product("readme-example")], directory: directory.path)
      #expect(run.exitCode == 0, "\(run.errorText)")
      if !run.text.isEmpty { return (directory, run) }
    }
    throw Unprinted()
  }

  private struct Unprinted: Error {}

  @Test("sees every loop, and every mode from its first run, with the hooks linked")
  func hooks() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/h.stallwatch"
    let run = try TestRun.run([Built.product("hooked-loop"), store])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let reader = try StoreReader(path: store)
    let session = try #require(try reader.sessions().first)
    #expect(try reader.health(session: session.id).intervals.filter { $0.kind == .blind }.isEmpty)
    let loops = try reader.loops(session: session.id)
    #expect(loops.map(\.record.name).sorted() == ["main", "worker"])
    let stalls = try reader.worstStalls(limit: 1_000).filter { $0.duration >= 120 * .millisecond }
    #expect(stalls.contains { $0.mode == "made late" && $0.began.depth == 2 && $0.began.phase == .service })
    let inObserver = stalls.contains {
      $0.mode == "kCFRunLoopDefaultMode" && $0.began.depth == 1 && $0.began.phase == .sources
    }
    #expect(inObserver, "an observer that comes last belongs to the work")
  }

  @Test("may fork at any moment: in a child the monitor takes no lock, does nothing, and starts no other")
  func forkWhileUsed() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/f.stallwatch"
    let run = try TestRun.run([Built.product("steady-loop"), "fork-calls", "40", store])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text == "whole 40\n")
    #expect(try StoreReader(path: store).sessions().map(\.ended) == [.clean])
  }

  @Test("has its new modes looked for where hooks are there but never called")
  func unboundHooks() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/u.stallwatch"
    let run = try TestRun.run([Built.product("unbound-hooks"), store])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let reader = try StoreReader(path: store)
    let session = try #require(try reader.sessions().first)
    let loop = try #require(try reader.loops(session: session.id).first)
    let mode = try #require(try reader.modes(loop: loop.id).first { $0.name == "made late" })
    #expect(mode.iterations > 0)
  }

  @Test("may have two monitors: both see stalls and the ends of threads, and the stop of one leaves the other right")
  func twoMonitors() throws {
    let directory = try TestDirectory()
    let stores = ["\(directory.path)/1.stallwatch", "\(directory.path)/2.stallwatch"]
    let run = try TestRun.run([Built.product("hooked-loop")] + stores)
    #expect(run.exitCode == 0, "\(run.errorText)")
    var stalls: [[StoredStall]] = []
    var ends: [Nanoseconds] = []
    for store in stores {
      let reader = try StoreReader(path: store)
      let session = try #require(try reader.sessions().first)
      #expect(session.ended == .clean)
      let loops = try reader.loops(session: session.id)
      #expect(loops.map(\.record.name).sorted() == ["main", "worker"])
      let worker = try #require(loops.first { !$0.record.isMain })
      let end = try #require(try reader.loops(session: session.id).first { $0.record.isMain }?.endedNs)
      let ended = try #require(worker.endedNs)
      #expect(ended < end, "seen when its thread ended, not when watching did")
      ends.append(end)
      stalls.append(try reader.worstStalls(limit: 100).filter { $0.duration >= 100 * .millisecond })
      let timers = try reader.timers(session: session.id)
      #expect(timers.isEmpty == (store == stores[1]), "hooked timers are the first monitor's")
    }
    #expect(stalls[0].count >= 2)
    #expect(stalls[1].contains { $0.began.startedNs > ends[0] }, "what it saw alone")
  }

  @Test("may fork without exec: the child runs its loop and exits, the parent is watched on")
  func fork() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/f.stallwatch"
    let run = try TestRun.run([Built.product("steady-loop"), "fork", "0", store])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text.contains("child 0"))
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions()
    #expect(sessions.map(\.ended) == [.clean])
    let loop = try #require(try reader.loops(session: sessions[0].id).first)
    let iterations = try reader.modes(loop: loop.id).reduce(0) { $0 + $1.iterations }
    #expect(iterations >= 100, "both of the parent's turns")
  }

  @Test("is not blamed for the time in which it was stopped")
  func stopped() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/s.stallwatch"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Built.product("steady-loop"))
    process.arguments = ["busy", "120", store]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // "ready"
    _ = output.fileHandleForReading.availableData
    for _ in 0..<3 {
      usleep(300_000)
      kill(process.processIdentifier, SIGSTOP)
      usleep(2_000_000)
      kill(process.processIdentifier, SIGCONT)
    }
    usleep(300_000)
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    let reader = try StoreReader(path: store)
    let session = try #require(try reader.sessions().first)
    let excluded = try reader.health(session: session.id).intervals.filter { $0.kind == .excluded }
    // Two seconds each, but for what the machine takes to have it run again.
    #expect(excluded.filter { $0.reason == "stopped" && $0.duration >= 1_500 * .millisecond }.count == 3)
    var worst: Nanoseconds = 0
    try reader.forEachStall { if $0.state != .cancelled { worst = max(worst, $0.duration) } }
    #expect(worst < 1_500 * .millisecond, "no stall holds the 2 s in which the process was stopped")
    let loop = try #require(try reader.loops(session: session.id).first)
    let longest = try reader.modes(loop: loop.id).compactMap { $0.metrics[.span]?.maximum }.max() ?? 0
    #expect(longest < 1_500 * .millisecond, "nor does any span")
  }

  @Test("runs on unwatched when the environment says so")
  func disabled() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/d.stallwatch"
    let run = try TestRun.run(
      [Built.product("steady-loop"), "iterate", "10", store], environment: ["STALLWATCH_DISABLE": "1"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test("says what it is by its configuration, and by the environment what that leaves open")
  func labels() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/l.stallwatch"
    let run = try TestRun.run(
      [Built.product("steady-loop"), "iterate", "10", store],
      environment: [
        "STALLWATCH_SERVICE": "other", "STALLWATCH_RELEASE": "4.2.0", "STALLWATCH_TAGS": "kind=other,region=eu",
      ])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let record = try #require(try StoreReader(path: store).sessions().first).record
    #expect(
      record.labels
        == SessionLabels(service: "steady", release: "4.2.0", tags: ["kind": "test", "region": "eu"]))
    #expect(record.programBuildID?.isEmpty == false)
  }

  @Test("does not start with a label that is none")
  func badLabel() throws {
    let directory = try TestDirectory()
    let run = try TestRun.run(
      [Built.product("steady-loop"), "iterate", "10", "\(directory.path)/l.stallwatch"],
      environment: ["STALLWATCH_ENVIRONMENT": String(repeating: "x", count: 257)])
    #expect(run.exitCode != 0)
    #expect(run.errorText.contains("STALLWATCH_ENVIRONMENT"))
  }

  @Test("gets store and threshold from the environment before its own configuration")
  func environment() throws {
    let directory = try TestDirectory()
    let chosen = "\(directory.path)/chosen.stallwatch"
    let run = try TestRun.run(
      [Built.product("steady-loop"), "iterate", "10", "\(directory.path)/own.stallwatch"],
      environment: ["STALLWATCH_STORE": chosen, "STALLWATCH_THRESHOLD": "125ms"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(!FileManager.default.fileExists(atPath: "\(directory.path)/own.stallwatch"))
    #expect(try StoreReader(path: chosen).sessions().map(\.record.threshold) == [125 * .millisecond])
  }
}
