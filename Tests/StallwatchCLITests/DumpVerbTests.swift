import Foundation
import TestPrograms
import Testing

/// Dumps of programs whose threads wait for each other, or run.
@Suite(.serialized) struct DumpVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  /// A program with waiting threads; ends with this object.
  private final class Waiting {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// How long a test waits for the program, or for what it is to show.
    private static let patience: TimeInterval = 60

    init(_ kind: String) throws {
      process.executableURL = URL(fileURLWithPath: Built.product("waiting-threads"))
      process.arguments = [kind]
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      // It says when its threads are about to wait.
      var said = Data()
      while !said.contains(UInt8(ascii: "\n")) {
        var readable = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&readable, 1, Int32(Self.patience) * 1_000) == 1, "waiting-threads \(kind) said nothing")
        let piece = output.fileHandleForReading.availableData
        try #require(!piece.isEmpty, "waiting-threads \(kind) ended")
        said += piece
      }
    }

    deinit {
      try? input.fileHandleForWriting.close()
      let deadline = Date(timeIntervalSinceNow: Self.patience)
      while process.isRunning, Date() < deadline { usleep(1_000) }
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }

    func dump(_ arguments: [String] = []) throws -> TestRun {
      try TestRun.run([stallwatch, "dump", String(process.processIdentifier)] + arguments)
    }

    /// Dumps until it shows what `isThere` looks for: a thread may still be on its way to where it waits.
    func dump(until isThere: (Dump) -> Bool) throws -> Dump {
      let deadline = Date(timeIntervalSinceNow: Self.patience)
      while true {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let dump = try decoder.decode(Dump.self, from: try self.dump(["--format", "json"]).output)
        if isThere(dump) { return dump }
        try #require(process.isRunning && Date() < deadline, "the last dump: \(dump)")
        usleep(20_000)
      }
    }
  }

  private struct Dump: Decodable {
    struct Thread: Decodable {
      struct Frame: Decodable { var name: String?, file: String?, line: Int? }
      struct Wait: Decodable { var systemCall: String, target: String? }
      struct Link: Decodable { var kind: String, thread: Int, object: String? }
      var id: Int, name: String?, isMain: Bool, state: String, cpuNs: Int, blockedOn: Wait?, waitsFor: Link?
      var frames: [Frame]
      func has(_ function: String) -> Bool { frames.contains { $0.name?.contains(function) ?? false } }
    }
    var schema: String, pid: Int, command: [String], gaps: [String], deadlocks: [[Int]], hasUnservedMainQueue: Bool?
    var threads: [Thread]
  }

  @Test(arguments: [
    ("locks", "lock", "takeFirstThenSecond()", "takeSecondThenFirst()"),
    ("queues", "queue", "queueFirstThenSecond()", "queueSecondThenFirst()"),
  ])
  func aDeadlockNamesItsThreadsAndLines(kind: String, link: String, main: String, other: String) throws {
    let program = try Waiting(kind)
    let dump = try program.dump { !$0.deadlocks.isEmpty }
    #expect(dump.schema == "stallwatch.dump/1")
    #expect(dump.pid == Int(program.process.processIdentifier))
    #expect(dump.gaps == [])
    let first = try #require(dump.threads.first)
    let second = try #require(dump.threads.first { $0.name == "other" })
    #expect(first.isMain)
    #expect(dump.deadlocks == [[first.id, second.id]])
    #expect(first.waitsFor?.kind == link && first.waitsFor?.thread == second.id)
    #expect(second.waitsFor?.kind == link && second.waitsFor?.thread == first.id)
    #expect(first.has(main) && second.has(other))
    let text = try program.dump().text
    #expect(text.contains("DEADLOCK"))
    #expect(text.contains("main in Crossing.") || text.contains("main in closure"), "\(text)")
    if kind == "queues" {
      #expect(text.contains("the queue test.second, which other (\(second.id)) serves"), "\(text)")
    }
  }

  /// The kernel itself finds two such locks that are taken crosswise, and Swift ends the program.
  @Test func whoHoldsAMutexIsSaid() throws {
    let dump = try Waiting("mutex").dump { $0.threads[0].waitsFor != nil }
    let holder = try #require(dump.threads.first { $0.name == "other" })
    #expect(dump.threads[0].waitsFor?.kind == "lock" && dump.threads[0].waitsFor?.thread == holder.id)
    #expect(holder.has("holdMutex()") && holder.blockedOn?.target == "sleep")
    #expect(dump.deadlocks == [])
  }

  @Test func aLockTakenTwiceIsADeadlock() throws {
    let dump = try Waiting("own").dump { !$0.deadlocks.isEmpty }
    #expect(dump.deadlocks == [[dump.pid]])
    #expect(dump.threads[0].has("takeTwice()"))
  }

  @Test func whoWaitsForAThreadsEndIsSaid() throws {
    let dump = try Waiting("join").dump { $0.threads[0].waitsFor != nil }
    #expect(dump.threads[0].waitsFor?.kind == "end")
    #expect(dump.threads.contains { $0.id == dump.threads[0].waitsFor?.thread && $0.blockedOn?.target == "sleep" })
    #expect(dump.deadlocks == [])
  }

  @Test func aConnectionThatSaysNothingIsNamed() throws {
    let dump = try Waiting("socket").dump { $0.threads[0].blockedOn?.systemCall == "read" }
    #expect(dump.threads[0].blockedOn?.target?.hasPrefix("tcp 127.0.0.1:") ?? false)
    #expect(dump.threads[0].has("waitForConnection()"))
    let frame = dump.threads[0].frames.first { $0.file?.hasSuffix("WaitingThreads/main.swift") ?? false }
    #expect(frame?.line ?? 0 > 0)
  }

  @Test func threadsThatDoTheSameAreShownAsOne() throws {
    let program = try Waiting("alike")
    _ = try program.dump { dump in dump.threads.filter { $0.waitsFor?.thread == dump.pid }.count == 7 }
    let text = try program.dump().text
    #expect(text.contains("7 threads, each waits for a lock that main (\(program.process.processIdentifier)) holds: "))
    let places = text.split(separator: "\n").count { $0.contains("Crossing.waitAtOnePlace()") }
    #expect((1...2).contains(places), "one stack for all, with a closure or with its function, too")
  }

  @Test func aThreadThatRunsHasAStack() throws {
    let program = try Waiting("busy")
    let dump = try program.dump { $0.threads[0].has("compute()") || !$0.gaps.isEmpty }
    guard dump.gaps.isEmpty else {
      print("skipped: this system lets nobody sample running threads: \(dump.gaps)")
      return
    }
    #expect(dump.threads[0].state == "running")
    let runs = try program.dump(["--repeat", "3", "--every", "10ms"])
    #expect(runs.exitCode == 0)
    #expect(runs.lines.count { $0.hasPrefix("waiting-threads (pid ") } == 3)
    #expect(runs.text.contains("of a processor"))
  }

  @Test func aProcessOfAnotherUserIsShownWithWhatIsMissing() throws {
    guard geteuid() == 0 else {
      print("skipped: only root can run a program as another user")
      return
    }
    let program = try Waiting("join")
    // The build may lie in a folder that only root may enter.
    let directory = try TestDirectory()
    try FileManager.default.copyItem(atPath: Self.stallwatch, toPath: directory.file("stallwatch"))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    let run = try TestRun.run([
      "/usr/bin/setpriv", "--reuid=65534", "--clear-groups", directory.file("stallwatch"), "dump",
      String(program.process.processIdentifier),
    ])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text.contains("stacks and locks are missing: the process belongs to user 'root'"), "\(run.text)")
    #expect(run.text.contains("blocked: main (\(program.process.processIdentifier))"))
    #expect(run.text.contains("no stack: the kernel does not show it"))
  }

  @Test func whatHoldsALaneOfARecordedProcessIsSaid() throws {
    let bench = try RecordBench()
    let program = try bench.swift(
      """
      import Foundation
      @inline(never) func holdForLong() { sleep(1_000) }
      DispatchQueue.main.async { holdForLong() }
      RunLoop.main.run()
      """)
    var said = ""
    _ = try bench.record([program]) { recorder in
      // The program is the recorder's child; it dies with a signal, once it was dumped.
      let children = {
        (try? String(contentsOfFile: "/proc/\(recorder)/task/\(recorder)/children", encoding: .utf8)) ?? ""
      }
      let deadline = Date(timeIntervalSinceNow: 60)
      while !said.contains(": holdForLong() · clock_nanosleep"), Date() < deadline {
        guard let child = children().split(separator: " ").first else {
          usleep(10_000)
          continue
        }
        said = try TestRun.run([Self.stallwatch, "dump", String(child)]).text
      }
      for child in children().split(separator: " ") { kill(Int32(child)!, SIGKILL) }
    }
    #expect(said.contains("recorded in \(bench.files.path)/store.stallwatch"), "\(said)")
    #expect(said.contains("    the main loop is held for "), "\(said)")
  }

  @Test func workInTheMainQueueThatNobodyServesIsSaid() throws {
    let words = "work waits in the main queue, and nobody serves it"
    let unserved = try Waiting("unserved")
    _ = try unserved.dump { $0.hasUnservedMainQueue == true && $0.threads[0].has("waitForMainQueue()") }
    #expect(try unserved.dump().text.contains(words))
    // Work waits there as well, for a run loop that is held.
    let served = try Waiting("loop")
    let dump = try served.dump { $0.threads[0].blockedOn?.target == "sleep" }
    #expect(dump.hasUnservedMainQueue == false)
    #expect(try !served.dump().text.contains(words))
    #expect(try Waiting("join").dump { $0.threads[0].waitsFor != nil }.hasUnservedMainQueue == false)
  }

  @Test func badUseGetsOneLine() throws {
    var dead = try TestRun.shell("echo $$").text
    dead.removeLast()
    for (arguments, part) in [
      (["0"], "1 or more"), (["abc"], "invalid"), ([dead], "there is no process \(dead)"),
      ([dead, "--repeat", "0"], "--repeat must be"), ([dead, "--every", "5"], "write 5ms"),
    ] {
      let run = try TestRun.run([Self.stallwatch, "dump"] + arguments)
      #expect(run.exitCode == 2)
      #expect(run.errorText.split(separator: "\n").count == 1)
      #expect(run.errorText.contains(part), "\(run.errorText)")
    }
  }

  @Test func aProcessThatEndsMeanwhileEndsTheDumps() throws {
    let run = try TestRun.shell(
      #"sleep 1 & "$1" dump $! --repeat 100000 --every 10ms"#, [Self.stallwatch])
    #expect(run.exitCode == 0)
    #expect(run.errorText.contains("has ended"))
    #expect(run.text.contains("clock_nanosleep"))
  }
}
