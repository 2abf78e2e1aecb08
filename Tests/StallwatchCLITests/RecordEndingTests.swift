import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// The ways in which processes end, become others and multiply, and what their recordings say of it.
@Suite(.serialized) struct RecordEndingTests {
  private let bench: RecordBench
  private let program: String

  init() throws {
    bench = try RecordBench()
    let built = try Self.built.get()
    program = built.file("program")
  }

  private static let built = Result {
    let directory = try TestDirectory(shared: "endings")
    try Built.swift([directory.write(source, to: "program.swift")], to: directory.file("program"))
    return directory
  }

  private static let source = """
    import CoreFoundation
    import Foundation

    let arguments = CommandLine.arguments
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> Int32).self)

    func now() -> UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    // Until the timer has fired so often, each time in an iteration of its own, however long that takes.
    func turn(_ times: Int) {
      var left = times
      let timer = Timer(timeInterval: 0.005, repeats: true) { timer in
        left -= 1
        if left == 0 {
          timer.invalidate()
          CFRunLoopStop(CFRunLoopGetCurrent())
        }
      }
      RunLoop.current.add(timer, forMode: .default)
      while left > 0 { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false) }
    }

    // A forked child shares what its parent's loop waits with, and each takes the other's timers: for a time, then.
    func linger() {
      RunLoop.current.add(Timer(timeInterval: 0.005, repeats: true) { _ in }, forMode: .default)
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.2))
    }

    // Held for 300 ms, and as long as a file `hold` is there.
    func inCallout(_ body: @escaping () -> Void) {
      RunLoop.main.add(Timer(timeInterval: 0.01, repeats: false) { _ in
        usleep(300_000)
        while access("hold", F_OK) == 0 { usleep(1_000) }
        body()
      }, forMode: .default)
      turn(10_000)
    }

    func become(_ path: String, _ words: [String]) {
      var pointers: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) -> UnsafeMutablePointer<CChar>? in strdup(word) }
      pointers.append(nil)
      execv(path, pointers)
    }

    switch arguments[1] {
    case "turn": turn(40)
    case "_exit": inCallout { _exit(6) }
    case "abort": inCallout { abort() }
    case "abort-slowly":
      signal(SIGABRT) { _ in
        print(now())
        fflush(stdout)
        usleep(1_300_000)
      }
      inCallout { abort() }
    case "exec": inCallout { become(arguments[0], [arguments[0], "turn"]) }
    case "exec-none":
      turn(20)
      become("/nonexistent/program", ["program"])
      turn(20)
    case "exec-sleep":
      turn(40)
      become("/bin/sleep", ["sleep", "0.1"])
    case "daemon":
      if fork() != 0 { _exit(0) }
      setsid()
      if fork() != 0 { _exit(0) }
      turn(60)
    case "fork":
      if arguments[2] == "late" { turn(20) }
      let children = (0..<3).map { _ in
        let child = fork()
        if child == 0 { linger(); exit(3) }
        return child
      }
      turn(40)
      for child in children {
        var status: Int32 = 0
        waitpid(child, &status, 0)
        print("child", status >> 8)
      }
    case "fork-and-lock":
      // A lock of Foundation's, for which two threads of the child wait by turns.
      func lock() { NSKeyedUnarchiver.setClass(NSString.self, forClassName: "text") }
      lock()
      let child = fork()
      if child == 0 {
        let group = DispatchGroup()
        group.enter()
        Thread { for _ in 0..<100_000 { lock() }; group.leave() }.start()
        for _ in 0..<100_000 { lock() }
        group.wait()
        linger()
        exit(3)
      }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      print("child", status >> 8)
    case "threads":
      let group = DispatchGroup()
      for _ in 0..<200 {
        group.enter()
        Thread { turn(5); group.leave() }.start()
        usleep(1_000)
      }
      group.wait()
      turn(20)
    case "held":
      for _ in 0..<2 {
        RunLoop.main.add(Timer(timeInterval: 0.01, repeats: false) { _ in usleep(160_000) }, forMode: .default)
        turn(40)
      }
      // Twenty that turn as fast as they can leave one another no processor to write with.
      RunLoop.main.add(Timer(timeInterval: 0.25, repeats: true) { _ in }, forMode: .default)
      while access(arguments[2], F_OK) != 0 { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.25, false) }
    default: exit(99)
    }
    """

  private func reader() throws -> StoreReader { try StoreReader(path: bench.files.file("store.stallwatch")) }

  private func iterations(_ reader: StoreReader) throws -> [UInt64] {
    try reader.sessions().map { session in
      try reader.loops(session: session.id).reduce(0) { sum, loop in
        try reader.modes(loop: loop.id).reduce(sum) { $0 + $1.iterations }
      }
    }
  }

  @Test func `_exit in a stall ends the session in order, and the stall with it`() throws {
    let run = try bench.record([program, "_exit"])
    #expect(run.exitCode == 6)
    #expect(run.errorText == "")
    let reader = try reader()
    #expect(try reader.sessions().map(\.ended) == [.clean])
    #expect(try reader.sessions().map(\.exitStatus) == [6])
    let stall = try #require(try reader.worstStalls(limit: 1).first)
    #expect(stall.state == .ended)
    #expect(stall.duration >= 300_000_000)
  }

  @Test func `a crash is killed, and Swift's account of it is undisturbed`() throws {
    // Swift gives up a thread that does not stop within some time, which on a busy machine may be any. One that cannot stop
    // is given up each time.
    var (runs, isUndisturbed) = (0, false)
    while runs < 5, !isUndisturbed {
      let run = try bench.record([program, "abort"], environment: ["SWIFT_BACKTRACE": "enable=yes,color=no"])
      #expect(run.exitCode == 134)
      #expect(run.errorText.contains("Program crashed: Aborted"))
      isUndisturbed = !run.errorText.contains("failed to suspend")
      runs += 1
    }
    #expect(isUndisturbed)
    #expect(try reader().sessions().map(\.ended) == Array(repeating: .killed, count: runs))
    let stalls = try reader().worstStalls(limit: 100).filter { $0.state == .fatal }
    #expect(stalls.count == runs)
    #expect(
      stalls.allSatisfy { $0.duration >= 300_000_000 }, "all of it, and not what had been written by the last flush")
  }

  @Test func `a stall that abort ends lasts until abort was called, however long the program takes to die`() throws {
    let hold = try bench.files.write("", to: "hold")
    let run = try bench.record([program, "abort-slowly"], environment: ["SWIFT_BACKTRACE": "enable=no"]) { _ in
      bench.wait("nobody looked at it") { reader, _ in
        try reader.worstStalls(limit: 1).contains { try !reader.samples(stall: $0.id).isEmpty }
      }
      try FileManager.default.removeItem(atPath: hold)
    }
    #expect(run.exitCode == 134)
    let dying = try #require(UInt64(run.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    let stall = try #require(try reader().worstStalls(limit: 1).first)
    #expect(stall.state == .fatal)
    #expect(stall.duration >= 300_000_000)
    #expect(stall.began.startedNs + stall.duration <= dying)
    let last = try #require(try reader().samples(stall: stall.id).last)
    #expect(last.atNs <= dying, "nobody looked at it any more")
  }

  @Test func `a program that becomes itself anew leaves two sessions that ended in order`() throws {
    #expect(try bench.record([program, "exec"]).exitCode == 0)
    let reader = try reader()
    let sessions = try reader.sessions()
    #expect(sessions.map(\.ended) == [.clean, .clean])
    #expect(sessions.map { $0.record.command.last } == ["exec", "turn"])
    #expect(Set(sessions.map(\.record.process)).count == 1)
    #expect(sessions.map(\.exitStatus) == [nil, 0])
    let stalls = try reader.worstStalls(limit: 1)
    #expect(stalls.map(\.session) == [1])
    #expect(stalls.map(\.state) == [.ended])
    #expect(try iterations(reader).allSatisfy { $0 > 0 })
  }

  @Test func `a program that becomes one without a loop ends its session at that moment`() throws {
    #expect(try bench.record([program, "exec-sleep"]).exitCode == 0)
    #expect(try reader().sessions().map(\.ended) == [.clean])
    #expect(try iterations(reader()).allSatisfy { $0 >= 30 })
  }

  @Test func `a program that fails to become another is watched on`() throws {
    #expect(try bench.record([program, "exec-none"]).exitCode == 0)
    let reader = try reader()
    #expect(try reader.sessions().map(\.ended) == [.clean])
    #expect(try iterations(reader).allSatisfy { $0 >= 30 })
  }

  @Test func `a daemon is watched after its parents have gone`() throws {
    #expect(try bench.record([program, "daemon"]).exitCode == 0)
    let deadline = Date(timeIntervalSinceNow: 30)
    while (try? reader().sessions().map(\.ended)) != [.clean], Date() < deadline { usleep(20_000) }
    #expect(try reader().sessions().map(\.ended) == [.clean])
    #expect(try iterations(reader()).allSatisfy { $0 >= 50 })
  }

  @Test
  func `children forked before the first loop are watched, those forked after it run on and are reported`() throws {
    let children = "child 3\nchild 3\nchild 3\n"
    let early = try bench.record([program, "fork", "early"])
    #expect(early.text == children)
    #expect(early.errorText == "")
    #expect(try reader().sessions().map(\.ended) == [.clean, .clean, .clean, .clean])

    let late = try bench.record([program, "fork", "late"])
    #expect(late.text == children)
    #expect(late.errorText.contains("was forked without exec"))
    #expect(late.errorText.contains("(and 2 more like it)"))
    #expect(late.errorText.split(separator: "\n").count == 1)
    #expect(try reader().sessions().count == 5)
    #expect(try reader().sessions().last?.ended == .clean)
  }

  /// Swift's locks on Linux take a thread of such a child for one of the parent's, and end the program or spin.
  @Test func `a child forked before the first loop may wait for Swift's locks`() throws {
    let run = try bench.record([program, "fork-and-lock"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(run.text == "child 3\n")
    #expect(run.errorText == "")
    #expect(try reader().sessions().map(\.ended) == [.clean])
  }

  @Test func `each of 200 threads that come and go has its loop`() throws {
    #expect(try bench.record([program, "threads"]).exitCode == 0)
    let reader = try reader()
    let session = try #require(try reader.sessions().first)
    let loops = try reader.loops(session: session.id)
    #expect(loops.count == 201)
    // A thread that has no processor when it is looked at costs a look.
    #expect(try reader.health(session: session.id).losses.filter { $0.key != "looks" } == [:])
    #expect(try loops.allSatisfy { try reader.modes(loop: $0.id).contains { $0.iterations > 0 } })
  }

  private func eventually(_ condition: () throws -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 120)
    while (try? condition()) != true {
      guard Date() < end else { return false }
      usleep(20_000)
    }
    return true
  }

  @Test func `20 programs at once share one store`() throws {
    let ends = try TestDirectory()
    let script = """
      for number in $(seq 20); do { \(program) held \(ends.path)/$number; : >\(ends.path)/ended-$number; } & done; wait
      """
    func holds() throws -> [Int] {
      let long = try reader().worstStalls(limit: 1_000).filter { $0.duration >= 150_000_000 }
      return Dictionary(grouping: long, by: \.session).values.map(\.count)
    }
    let run = try bench.record(["sh", "-c", script]) { _ in
      let areSeen = eventually { try holds().count { $0 >= 2 } == 20 }
      #expect(areSeen, "all record at one time, and nobody has ended")
      #expect(try reader().sessions().map(\.ended) == Array(repeating: .running, count: 20))
      // A program waits two seconds for its turn to write its last words, and twenty may take longer. So one by one.
      for number in 1...20 {
        try ends.write("", to: "\(number)")
        let hasEnded = eventually { FileManager.default.fileExists(atPath: "\(ends.path)/ended-\(number)") }
        #expect(hasEnded)
      }
    }
    #expect(run.exitCode == 0)
    let sessions = try reader().sessions()
    #expect(sessions.count == 20)
    // On a busy machine the others may take longer as well; then `record` says so.
    let reported = run.errorText.split(separator: "\n")
    #expect(reported.allSatisfy { $0.contains("could not be written in full") }, "\(run.errorText)")
    #expect(sessions.allSatisfy { $0.ended == .clean } || !reported.isEmpty)
    #expect(Set(sessions.map(\.record.process.pid)).count == 20)
    #expect(try holds().allSatisfy { $0 >= 2 })
    let lost = try sessions.filter { try reader().health(session: $0.id).losses["records"] != nil }
    #expect(lost.isEmpty || !reported.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.files.path) == ["store.stallwatch"])
  }

  @Test func `an idle program is not woken`() throws {
    let run = try bench.record(
      [Built.product("steady-loop"), "idle", "5"], environment: ["STALLWATCH_DRIFT_INTERVAL": "off"])
    #expect(run.exitCode == 0)
    #expect(run.text.hasPrefix("threads 3 wakeups 0 "), "\(run.text)")
  }
}
