import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// Programs whose main thread leaves its loop and blocks elsewhere until they end, and what their recordings say of it.
@Suite(.serialized) struct RecordAwayTests {
  private let bench: RecordBench
  private let program: String

  init() throws {
    bench = try RecordBench()
    program = try Self.built.get().file("program")
  }

  private static let built = Result {
    let directory = try TestDirectory(shared: "away")
    try Built.swift([directory.write(source, to: "program.swift")], to: directory.file("program"))
    return directory
  }

  /// `program WORK HOLD-MS END`: runs its main loop, leaves it with that work due, holds, and as long as a file `hold` is
  /// there, says when it left and until when it held, and ends.
  private static let source = """
    import Foundation

    let (work, milliseconds, end) = (CommandLine.arguments[1], Double(CommandLine.arguments[2])!, CommandLine.arguments[3])

    func now() -> UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func due(in seconds: Double, repeats: Bool) -> Timer {
      let timer = Timer(timeInterval: seconds, repeats: repeats) { _ in }
      RunLoop.main.add(timer, forMode: .common)
      return timer
    }

    let own = due(in: 0.02, repeats: true)
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1))
    let left = now()
    switch work {
    case "repeating": break
    case "one-shot": own.invalidate(); _ = due(in: 0.01, repeats: false)
    case "queue": own.invalidate(); DispatchQueue.main.async {}
    default: own.invalidate()
    }
    usleep(UInt32(milliseconds * 1_000))
    while access("hold", F_OK) == 0 { usleep(1_000) }
    print(left, now())
    fflush(nil)
    switch end {
    case "exit": exit(3)
    case "_exit": _exit(3)
    case "abort": abort()
    case "kill": kill(getpid(), SIGKILL)
    case "back": RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1))
    default: break
    }
    """

  private func aways() throws -> [StoredStall] {
    let reader = try StoreReader(path: bench.files.file("store.stallwatch"))
    return try reader.worstStalls(limit: 100).filter { $0.began.kind == .away }
  }

  /// Records a hold, and returns the away that it left and how long the program says it was held.
  private func away(
    _ work: String, _ milliseconds: Int, _ end: String, whileRunning: (Int32) throws -> Void = { _ in }
  ) throws -> (StoredStall, held: UInt64, until: UInt64) {
    let run = try bench.record([program, work, "\(milliseconds)", end], whileRunning: whileRunning)
    let said = run.text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    try #require(said.count == 2, "\(run.text)\(run.errorText)")
    let aways = try #require(try? aways(), "\(run.errorText)")
    let store = bench.files.file("store.stallwatch")
    // What it is instead of one away names the cause where this fails.
    func report() -> String {
      (try? TestRun.run([RecordBench.stallwatch, "report", store, "--format", "json"]).text) ?? ""
    }
    try #require(aways.count == 1, "\(run.text)\(run.errorText)\(report())")
    return (aways[0], said[1] - said[0], said[1])
  }

  @Test(arguments: ["exit", "_exit", "return", "back"], [100, 700])
  func `a hold with a timer due is an away, whole`(end: String, milliseconds: Int) throws {
    let (away, held, until) = try away("repeating", milliseconds, end)
    #expect(away.state == .ended)
    #expect(away.reason == "a timer was due")
    // The timer is due 20 ms after it fired last.
    #expect(away.duration + 25_000_000 >= held)
    #expect(away.began.startedNs + away.duration >= until)
    // On a busy machine the monitor may have no processor to look with while it lasts.
    #expect((away.cause?.watched ?? 0) <= away.duration)
  }

  @Test(arguments: [("one-shot", "a timer was due"), ("queue", "main-queue work was due")])
  func `a one-shot timer and main-queue work are due as well`(work: String, reason: String) throws {
    let (away, _, until) = try away(work, 700, "exit")
    #expect(away.reason == reason)
    #expect(away.began.startedNs + away.duration >= until)
  }

  @Test(arguments: ["abort", "kill"])
  func `a process that dies in one leaves it fatal`(end: String) throws {
    // Of a kill nobody hears: it comes when the away is in the store.
    let hold = try bench.files.write("", to: "hold")
    let (away, _, until) = try away("repeating", 100, end) { _ in
      while (try? aways().isEmpty) ?? true { usleep(10_000) }
      try FileManager.default.removeItem(atPath: hold)
    }
    #expect(away.state == .fatal)
    // It lasts until abort() was called; of a kill the last sign of life counts.
    let ended = away.began.startedNs + away.duration
    #expect(end == "abort" ? ended >= until : ended <= until)
  }

  @Test func `straight work with nothing due is none`() throws {
    #expect(try bench.record([program, "nothing", "700", "exit"]).exitCode == 3)
    #expect(try aways().isEmpty)
    let report = try TestRun.run([RecordBench.stallwatch, "report", bench.files.file("store.stallwatch")])
    // What a busy machine does to the loop while it runs is another matter.
    #expect(!report.text.contains("away from its loop"), "\(report.text)")
  }

  @Test func `the report, the list and JSON name it, and the timer that it made late`() throws {
    _ = try away("repeating", 700, "back")
    let store = bench.files.file("store.stallwatch")
    let report = try TestRun.run([RecordBench.stallwatch, "report", store]).text
    #expect(report.hasPrefix("The main thread was away from its loop once, for "))
    #expect(report.contains("while a timer was due."))
    #expect(try TestRun.run([RecordBench.stallwatch, "stalls", store]).text.contains(" away "))
    let row = try aways()[0].id
    let shown = try TestRun.run([RecordBench.stallwatch, "show", store, "\(row)"]).text
    #expect(shown.contains("The main thread was away from its loop for "))
    #expect(shown.contains("TIMERS"))
    let json = try TestRun.run([RecordBench.stallwatch, "report", store, "--format", "json"]).text
    #expect(json.contains("\"away_count\": 1"))
    #expect(json.contains("\"kind\": \"away\""))
  }
}
