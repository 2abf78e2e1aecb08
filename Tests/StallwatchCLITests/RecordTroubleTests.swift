import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// What goes wrong around a recording: the program never notices, and the user learns of it.
@Suite(.serialized) struct RecordTroubleTests {
  private let bench: RecordBench
  private let program: String
  /// Where tests leave the files that end programs, away from their stores.
  private let signals: TestDirectory

  init() throws {
    bench = try RecordBench()
    signals = try TestDirectory()
    program = try Self.built.get().file("program")
  }

  /// Ends a program that was told to turn until `name` is there.
  private func end(_ name: String) throws { try signals.write("", to: name) }

  private static let built = Result {
    let directory = try TestDirectory(shared: "troubles")
    // Turns for a moment, or until there is a file; but not for ever.
    let source = """
      import Foundation
      let end = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : nil
      RunLoop.main.add(Timer(timeInterval: 0.005, repeats: true) { _ in }, forMode: .default)
      print("turning")
      fflush(nil)
      let patience = Date(timeIntervalSinceNow: end == nil ? 0.1 : 120)
      while Date() < patience, end.map({ !FileManager.default.fileExists(atPath: $0) }) ?? true {
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
      }
      exit(7)
      """
    try Built.swift([directory.write(source, to: "program.swift")], to: directory.file("program"))
    return directory
  }

  private func sessions() throws -> [StoredSession] {
    try StoreReader(path: bench.files.file("store.stallwatch")).sessions()
  }

  /// Waits until a recording that is under way has its first figures in its store.
  private func waitForFigures() {
    bench.wait("nothing is recorded") { reader, session in
      guard let loop = try reader.loops(session: session).first else { return false }
      return try reader.modes(loop: loop.id).contains { $0.iterations > 0 }
    }
  }

  /// Whether a process has neither ended nor become a zombie.
  private func isRunning(_ process: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return !status.isEmpty && status.split(separator: ")").last?.hasPrefix(" Z") == false
  }

  private func remove(_ suffixes: [String]) throws {
    for suffix in suffixes {
      try? FileManager.default.removeItem(atPath: bench.files.file("store.stallwatch\(suffix)"))
    }
  }

  // MARK: The store goes away

  @Test(arguments: [[""], ["", "-wal", "-shm"]])
  func `a store that is removed costs the recording, which is reported`(suffixes: [String]) throws {
    let run = try bench.record([program, signals.file("end")]) { _ in
      waitForFigures()
      try remove(suffixes)
      try end("end")
    }
    #expect(run.exitCode == 7)
    #expect(run.text == "turning\n")
    #expect(run.errorText.contains("store.stallwatch cannot be found there"))
    #expect(run.errorText.split(separator: "\n").count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.files.path) == [])
  }

  @Test func `a store whose folder is removed costs the recording, which is reported`() throws {
    try FileManager.default.createDirectory(atPath: bench.files.file("folder"), withIntermediateDirectories: false)
    let path = bench.files.file("folder/store.stallwatch")
    let run = try TestRun.run(
      [RecordBench.stallwatch, "record", "-o", path, "--", program, signals.file("end")],
      environment: bench.environment
    ) { _ in
      let deadline = Date(timeIntervalSinceNow: 60)
      while (try? StoreReader(path: path).sessions().count) != 1, Date() < deadline { usleep(10_000) }
      try FileManager.default.removeItem(atPath: bench.files.file("folder"))
      try end("end")
    }
    #expect(run.exitCode == 7)
    #expect(run.errorText.contains("cannot be found there"))
    #expect(!FileManager.default.fileExists(atPath: bench.files.file("folder")))
  }

  @Test func `a recording that lost its store leaves the one in its place whole`() throws {
    var second: TestRun?
    let first = try bench.record([program, signals.file("first")]) { process in
      waitForFigures()
      try remove(["", "-wal", "-shm"])
      second = try bench.record([program, signals.file("second")]) { _ in
        waitForFigures()
        try end("first")
        // The first one ends while the second goes on.
        let deadline = Date(timeIntervalSinceNow: 60)
        while isRunning(process), Date() < deadline { usleep(10_000) }
        #expect(!isRunning(process))
        try end("second")
      }
    }
    #expect(first.exitCode == 7)
    #expect(second?.exitCode == 7)
    #expect(second?.errorText == "")
    let reader = try StoreReader(path: bench.files.file("store.stallwatch"))
    let session = try #require(try reader.sessions().first)
    #expect(try reader.sessions().map(\.ended) == [.clean])
    #expect(session.record.command == [program, signals.file("second")])
    #expect(try reader.health(session: session.id).trouble == nil)
    let loop = try #require(try reader.loops(session: session.id).first)
    #expect(try reader.modes(loop: loop.id).reduce(0) { $0 + $1.iterations } > 0)
  }

  @Test func `a store that is moved keeps its recording`() throws {
    let run = try bench.record([program, signals.file("end")]) { _ in
      waitForFigures()
      try FileManager.default.moveItem(
        atPath: bench.files.file("store.stallwatch"), toPath: bench.files.file("moved.stallwatch"))
      try end("end")
    }
    #expect(run.exitCode == 7)
    #expect(run.errorText.contains("moved"))
    let reader = try StoreReader(path: bench.files.file("moved.stallwatch"))
    #expect(try reader.sessions().map(\.ended) == [.clean])
  }

  @Test func `a store that another has replaced gets none of its stalls into ours, and is left as it is`() throws {
    // One with a session of this machine that began before, and of another process.
    let other = bench.files.file("other.stallwatch")
    let earlier = try TestRun.run(
      [RecordBench.stallwatch, "record", "--quiet", "-o", other, "--", program],
      environment: bench.environment)
    #expect(earlier.exitCode == 7)
    let before = try Data(contentsOf: URL(fileURLWithPath: other))
    let path = bench.files.file("store.stallwatch")
    let run = try TestRun.run(
      [RecordBench.stallwatch, "record", "-o", path, "--", program, signals.file("replaced")],
      environment: bench.environment
    ) { _ in
      waitForFigures()
      try remove(["", "-wal", "-shm"])
      try FileManager.default.copyItem(atPath: other, toPath: path)
      try end("replaced")
    }
    #expect(run.exitCode == 7)
    #expect(run.errorText.contains("store.stallwatch cannot be found there"))
    #expect(run.errorText.split(separator: "\n").count == 1, "\(run.errorText)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  // MARK: The disk is full

  private static let mayMount = getuid() == 0 && (try? TestRun.shell("unshare -m true").exitCode) == 0

  /// Records the workload on a disk of `kilobytes` and reports on that, in one go: the disk is gone with the shell.
  private func recordOnSmallDisk(kilobytes: Int) throws -> (record: TestRun, report: String, stalls: Int) {
    let disk = bench.files.file("disk")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    let script = """
      mount -t tmpfs -o size=\(kilobytes)k none \(disk) || exit 98
      \(RecordBench.stallwatch) record -o \(disk)/s.stallwatch -- \
        \(Built.product("stallwatch-workload")) --seed 3 --stalls 12 --max-stall 200ms
      status=$?
      \(RecordBench.stallwatch) report \(disk)/s.stallwatch >\(bench.files.file("report")) 2>&1
      \(RecordBench.stallwatch) stalls \(disk)/s.stallwatch --format json >\(bench.files.file("stalls")) 2>&1
      exit $status
      """
    let run = try TestRun.run(
      ["/usr/bin/env", "unshare", "-m", "/bin/sh", "-c", script], environment: bench.environment)
    let stalls = bench.files.read("stalls").split(separator: "\n").count { $0.contains(#""state": "ended""#) }
    return (run, bench.files.read("report"), stalls)
  }

  @Test(.enabled(if: mayMount, "only root can mount a small disk"), arguments: [40, 110, 150, 220, 300, 500])
  func `a disk that is full costs records and not the program, and what is lost is reported`(kilobytes: Int) throws {
    let (run, report, stalls) = try recordOnSmallDisk(kilobytes: kilobytes)
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text.contains("stallwatch-workload: 1"))
    let isReported = run.errorText.contains("stallwatch: what") || run.errorText.contains("was not watched")
    // A log that begins anew in the room that it has makes do with little.
    #expect(isReported || stalls >= 12, "\(run.errorText)\(report)")
    #expect(!isReported || !report.contains("Healthy"), "\(report)")
    #expect(!report.contains("no run loop ran"), "\(report)")
  }

  // MARK: The system has little

  @Test(.enabled(if: mayMount, "only root can take /proc away"))
  func `without proc a program runs as it does alone, and one line says that it was not watched`() throws {
    let script = "mount -t tmpfs none /proc || exit 98; $record \(program); echo $?"
    let alone = try TestRun.shell("\(program); echo $?")
    let run = try bench.shell("unshare -m sh -c '\(script)'")
    #expect(run.text == alone.text)
    #expect(run.errorText.contains("/proc is not mounted"))
    #expect(run.errorText.split(separator: "\n").count == 1, "\(run.errorText)")
  }

  @Test(arguments: [0, 1, 8, 100, 170, 180, 200, 300])
  func `a limit on the size of files costs records, and neither the program nor us`(blocks: Int) throws {
    // What the program prints goes through a pipe, which no limit counts.
    let run = try bench.shell("(ulimit -f \(blocks); $record \(program) 2>&1; echo $?) | cat")
    #expect(run.lines.first == "turning")
    #expect(run.lines.last == "7")
    let ours = run.lines.dropFirst().dropLast()
    #expect(ours.count <= 1 && ours.allSatisfy { $0.hasPrefix("stallwatch: ") }, "\(ours)")
    // Where there is no room for a session there is a word of that.
    let ended = (try? sessions().map(\.ended)) ?? []
    #expect(ended == [.clean] || ours.count == 1)
  }

  // MARK: The program has little

  @Test(arguments: [9, 12, 16, 20])
  func `a program that may open few files runs as it does alone`(limit: Int) throws {
    let script = "ulimit -n \(limit); \(program); echo $?"
    let alone = try TestRun.shell(script)
    let run = try bench.shell("ulimit -n \(limit); $record \(program); echo $?")
    #expect(run.text == alone.text)
    #expect(run.errorText.contains("ulimit -n"))
  }

  @Test func `a program that handles SIGURG keeps it, and the report says what that costs`() throws {
    let program = try bench.swift(
      """
      import Foundation
      nonisolated(unsafe) var handled = 0
      nonisolated(unsafe) var isHeld = false
      signal(SIGURG) { _ in handled += 1 }
      RunLoop.main.add(Timer(timeInterval: 0.01, repeats: false) { _ in
        while access("hold", F_OK) == 0 {}
        isHeld = true
      }, forMode: .default)
      while !isHeld { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1)) }
      raise(SIGURG)
      exit(handled == 1 ? 0 : 1)
      """, name: "handler")
    // Held until somebody looked: how long that takes, a busy machine decides.
    let hold = try bench.files.write("", to: "hold")
    let run = try bench.record([program]) { _ in
      bench.wait("no look met the program's handler") { try $0.health(session: $1).signalObstacle != nil }
      try FileManager.default.removeItem(atPath: hold)
    }
    #expect(run.exitCode == 0, "the handler was called once, by the program itself")
    let report = try TestRun.run([RecordBench.stallwatch, "report", bench.files.file("store.stallwatch")]).text
    let words = report.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("not interrupted for their stacks, because the program handles SIGURG (session 1)"))
  }

  @Test func `a program that sets its signals to default, ignored and handled all the time lives through looks`() throws
  {
    let program = try bench.swift(
      """
      import Foundation
      func handle(_ signal: Int32) {}
      let switching = Thread {
        while true {
          for number in [SIGPROF, SIGURG] {
            for handler in [SIG_DFL, SIG_IGN, handle, SIG_DFL] {
              signal(number, handler)
              usleep(300)
            }
          }
        }
      }
      RunLoop.main.add(Timer(timeInterval: 0.001, repeats: true) { _ in
        let end = ProcessInfo.processInfo.systemUptime + 0.08
        while ProcessInfo.processInfo.systemUptime < end {}
      }, forMode: .default)
      // Looks have begun by then.
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1))
      switching.start()
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.4))
      exit(9)
      """, name: "switching")
    let record = [RecordBench.stallwatch] + bench.options
    for round in 0..<12 {
      let profile = round % 2 == 0 ? ["--profile", "100"] : []
      let run = try TestRun.run(record + profile + ["--", program], environment: bench.environment)
      #expect(run.exitCode == 9, "round \(round)")
    }
  }

  @Test func `without stdin, stdout, stderr or all of them a program is recorded, and its store stays whole`() throws {
    let ways = ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"]
    for way in ways {
      let run = try bench.shell("$record \(program) \(way)\necho $? >status")
      #expect(run.exitCode == 0)
      #expect(bench.files.read("status") == "7\n")
    }
    #expect(try sessions().map(\.ended) == ways.map { _ in .clean })
    #expect(try sessions().map(\.exitStatus) == ways.map { _ in 7 })
  }

  @Test(.enabled(if: getuid() == 0, "only root can become another user"))
  func `another user without a home records where that user may write, and gets a message otherwise`() throws {
    let files = try TestDirectory()
    #expect(chmod(files.path, 0o755) == 0)
    let open = files.file("open")
    try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
    #expect(chmod(open, 0o777) == 0)
    let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups env -u HOME"
    let record = "\(nobody) \(RecordBench.stallwatch) record --quiet -- true"
    // The programs of this build may lie where only root can look.
    guard try TestRun.shell("\(nobody) test -x \(RecordBench.stallwatch)").exitCode == 0 else { return }
    #expect(try TestRun.shell(record, environment: bench.environment, directory: open).exitCode == 0)
    let refused = try TestRun.shell(record, environment: bench.environment, directory: files.path)
    #expect(refused.exitCode == 3)
    #expect(refused.errorText.contains("Permission denied"))
    #expect(refused.errorText.split(separator: "\n").count == 1)
  }

  // MARK: Bad input

  @Test(arguments: ["abc", "0", "-5ms", "50", "1us", "999999999999999s"])
  func `a threshold in the environment that is none is refused before the program runs`(text: String) throws {
    let run = try bench.record([program], environment: ["STALLWATCH_THRESHOLD": text])
    #expect(run.exitCode == 2)
    #expect(run.text == "")
    #expect(run.errorText.contains("STALLWATCH_THRESHOLD is “\(text)”"))
    #expect(run.errorText.split(separator: "\n").count == 1)
  }

  @Test func `a path that no store can have is refused before the program runs`() throws {
    let file = try bench.files.write("text", to: "file")
    #expect(mkfifo(bench.files.file("pipe"), 0o600) == 0)
    let paths: [(path: String, code: Int32, says: String)] = [
      ("\(file)/store", 3, "Not a directory"), ("/nonexistent/store", 3, "No such file"),
      (bench.files.file("pipe"), 2, "a pipe"), ("/dev/null", 2, "a device"), (bench.files.path, 2, "a directory"),
      (file, 2, "not a Stallwatch store"),
    ]
    for (path, code, says) in paths {
      let run = try TestRun.run(
        [RecordBench.stallwatch, "record", "-o", path, "--", program], environment: bench.environment)
      #expect(run.exitCode == code, "\(path)")
      #expect(run.text == "", "\(path)")
      #expect(run.errorText.contains(says), "\(path): \(run.errorText)")
      #expect(run.errorText.split(separator: "\n").count == 1, "\(path)")
    }
    #expect(bench.files.read("file") == "text")
  }
}
