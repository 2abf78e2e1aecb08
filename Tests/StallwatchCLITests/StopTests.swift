import Foundation
import StallwatchCore
import StallwatchStore
import TestPrograms
import Testing

/// Programs that are stopped while they are recorded, and others that only look like it.
@Suite(.serialized) struct StopTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  /// A way to keep all threads of a process from running.
  enum Way: String, CaseIterable {
    case signal = "SIGSTOP"
    case freezer1 = "cgroup v1"
    case freezer2 = "cgroup v2"

    /// The freezer's file, and what stops and releases.
    private var freezer: (group: String, file: String, stop: String, go: String)? {
      let name = "stallwatch-test-\(getpid())"
      return switch self {
      case .signal: nil
      case .freezer1: ("/sys/fs/cgroup/freezer/\(name)", "freezer.state", "FROZEN", "THAWED")
      case .freezer2:
        FileManager.default.fileExists(atPath: "/sys/fs/cgroup/cgroup.controllers")
          ? ("/sys/fs/cgroup/\(name)", "cgroup.freeze", "1", "0")
          : ("/sys/fs/cgroup/unified/\(name)", "cgroup.freeze", "1", "0")
      }
    }

    /// Whether this machine lets a process be stopped in this way; if not, says so.
    func prepare() -> Bool {
      guard let freezer else { return true }
      if mkdir(freezer.group, 0o755) == 0, access("\(freezer.group)/\(freezer.file)", W_OK) == 0 { return true }
      print("skipped: \(rawValue): \(freezer.group)/\(freezer.file): \(String(cString: strerror(errno)))")
      rmdir(freezer.group)
      return false
    }

    func cleanUp() {
      if let freezer { rmdir(freezer.group) }
    }

    /// Stops a process and returns when it stands still.
    func stop(_ process: Int32) throws {
      guard let freezer else {
        kill(process, SIGSTOP)
        return try wait { try Self.letters(of: process).allSatisfy { $0 == "T" } }
      }
      try write("\(process)", to: "\(freezer.group)/cgroup.procs")
      try write(freezer.stop, to: "\(freezer.group)/\(freezer.file)")
      try wait {
        self == .freezer1
          ? try text("\(freezer.group)/freezer.state") == "FROZEN\n"
          : try text("\(freezer.group)/cgroup.events").contains("frozen 1")
      }
    }

    func release(_ process: Int32) throws {
      guard let freezer else {
        kill(process, SIGCONT)
        return
      }
      try write(freezer.go, to: "\(freezer.group)/\(freezer.file)")
    }

    private static func letters(of process: Int32) throws -> [Substring] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").compactMap { thread in
        let stat = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/stat", encoding: .utf8)
        return stat?.split(separator: ")").last?.split(separator: " ").first
      }
    }

    private func wait(until isSo: () throws -> Bool) throws {
      let deadline = now() + 30 * .second
      while try !isSo() {
        try #require(now() < deadline, "the process does not stop")
        usleep(500)
      }
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func write(_ text: String, to path: String) throws {
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.write(contentsOf: Data(text.utf8))
    }
  }

  /// Records the program whose loop does one thing, calls `meanwhile` with its process id, and returns what was excluded.
  private func excluded(
    _ kind: String, seconds: Double, meanwhile: (Int32) throws -> Void = { _ in }
  ) throws -> [IntervalRecord] {
    let record = Process()
    record.executableURL = URL(fileURLWithPath: RecordBench.stallwatch)
    record.arguments = bench.options + ["--", Built.product("stopped-loop"), kind, "\(seconds)"]
    record.environment = ProcessInfo.processInfo.environment.merging(bench.environment) { $1 }
    let output = Pipe()
    record.standardOutput = output
    try record.run()
    let words = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split { " \n".contains($0) }
    try #require(words.count == 2 && words[0] == "ready")
    try meanwhile(#require(Int32(words[1])))
    record.waitUntilExit()
    #expect(record.terminationStatus == 0)
    let reader = try StoreReader(path: bench.files.file("store.stallwatch"))
    let session = try #require(try reader.sessions().first)
    return try reader.health(session: session.id).intervals.filter { $0.kind == .excluded && $0.reason == "stopped" }
  }

  /// The promise: a stop is excluded to within 30 ms. Where the program is stopped twice, each time.
  @Test(arguments: Way.allCases, ["spin", "sleep", "turn"])
  func `a stop is excluded, and nothing else`(_ way: Way, _ kind: String) throws {
    guard way.prepare() else { return }
    defer { way.cleanUp() }
    let tolerance = 30 * Nanoseconds.millisecond
    var stops: [(least: Range<Nanoseconds>, most: Range<Nanoseconds>)] = []
    // How long the program's threads had waited for a processor, before each stop and after the last. As much may be taken
    // for a wait that was stopped time.
    var waits: [Nanoseconds] = []
    let excluded = try excluded(kind, seconds: 2) { process in
      defer { waits.append(Self.waited(process)) }
      for _ in 0..<2 {
        usleep(300_000)
        waits.append(Self.waited(process))
        let asked = now()
        try way.stop(process)
        let stopped = now()
        usleep(300_000)
        let over = now()
        try way.release(process)
        stops.append((stopped..<over, asked..<now()))
      }
      usleep(100_000)
    }
    #expect(excluded.count == stops.count)
    for (place, (interval, stop)) in zip(excluded, stops).enumerated() {
      let waited = waits[place + 1].since(waits[place])
      #expect(interval.duration + tolerance + waited >= UInt64(stop.least.count))
      #expect(interval.duration <= UInt64(stop.most.count) + tolerance)
      // Where it lies is known from the last time that a thread of the program ran before, and beside other work each
      // waits for its turn. How well it is placed on a quiet machine is what tools/judge/stops judges.
      #expect(stop.most.overlaps(interval.startedNs..<interval.endedNs))
    }
  }

  /// How long all threads of a process have waited for a processor; 0 where it has ended.
  private static func waited(_ process: Int32) -> Nanoseconds {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return threads.reduce(0) { sum, thread in
      let times = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/schedstat", encoding: .utf8)
      return sum + (times?.split(separator: " ").dropFirst().first.flatMap { Nanoseconds($0) } ?? 0)
    }
  }

  @Test(arguments: ["threads", "storm", "faults", "disk", "turn", "sleep"])
  func `nothing is excluded of a program that was not stopped, beside 8 busy processes`(_ kind: String) throws {
    let busy = try (0..<8).map { _ in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "while :; do :; done"]
      try process.run()
      return process
    }
    defer {
      for process in busy {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
    }
    let excluded = try excluded(kind, seconds: 2)
    #expect(excluded.isEmpty, "\(excluded)")
  }
}

private func now() -> Nanoseconds {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Nanoseconds(time.tv_sec) * .second + Nanoseconds(time.tv_nsec)
}
