import Foundation
import Testing

@testable import StallwatchWorkload

@Suite(.serialized) struct TruthTests {
  @Test func theTruthIsCompleteAndMeasured() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("truth.jsonl")
    let options = [
      "--seed", "3", "--stalls", "24", "--min-stall", "60ms", "--max-stall", "90ms", "--idle", "10ms", "--nested",
      "0.4",
    ]
    let planned = try jsonLines(WorkloadProcess(["--plan"] + options).finish().output)
    let outcome = try WorkloadProcess(options + ["--truth", path]).finish()
    try #require(outcome.status == 0)
    let lines = try jsonLines(String(contentsOfFile: path, encoding: .utf8))

    #expect(lines.first?["kind"] as? String == "start")
    #expect(lines.last?["kind"] as? String == "end")
    let began = lines.filter { $0["kind"] as? String == "stall-began" }
    let stalls = lines.filter { $0["kind"] as? String == "stall" }
    #expect(stalls.count == 30)
    #expect(Set(began.compactMap { $0["number"] as? Int }) == Set(stalls.compactMap { $0["number"] as? Int }))
    #expect((lines.last?["stalls"] as? Int ?? 0) + (lines.last?["near_misses"] as? Int ?? 0) == 30)

    for step in planned.compactMap({ $0["step"] as? [String: Any] }) {
      guard let hold = step["hold"] as? [String: Any] else { continue }
      let nested = step["nested"] as? [[String: Any]] ?? []
      let stall = try #require(stalls.first { $0["number"] as? Int == step["number"] as? Int })
      #expect(stall["mode"] as? String == (nested.last?["mode"] ?? step["mode"]) as? String)
      #expect(stall["depth"] as? Int == nested.count + 1)
      #expect(stall["how"] as? String == hold["how"] as? String)
      #expect(stall["callout"] as? String == hold["callout"] as? String)
      #expect(stall["duration_ns"] as? Int ?? 0 >= hold["length"] as? Int ?? .max)
    }
    #expect(lines.filter { $0["kind"] as? String == "nested" }.allSatisfy { $0["depth"] as? Int ?? 0 > 1 })
  }

  @Test func nothingStandsAfterTheEnd() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("truth.jsonl")
    let writer = try TruthWriter(path: path, threshold: 50_000_000)
    writer.start()
    writer.append(TruthLine(.start))
    let (hasBegun, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // As the metronome, which does not know when the last line is written.
    let metronome = Thread {
      hasBegun.signal()
      while !Thread.current.isCancelled { writer.append(TruthLine(.preempted)) }
      isOver.signal()
    }
    metronome.start()
    hasBegun.wait()
    _ = writer.finish(startedNs: 0, seed: 1)
    metronome.cancel()
    isOver.wait()
    let kinds = try jsonLines(String(contentsOfFile: path, encoding: .utf8)).map { $0["kind"] as? String }
    #expect(kinds.first == "start")
    #expect(kinds.last == "end")
    #expect(kinds.count { $0 == "end" } == 1)
  }

  @Test func noTwoHoldsOfOneLoopAreNearerThanTheIdleTime() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("truth.jsonl")
    let outcome = try WorkloadProcess.run(
      "--seed", "4", "--stalls", "20", "--min-stall", "10ms", "--max-stall", "30ms", "--idle", "20ms", "--truth", path)
    try #require(outcome.status == 0)
    let stalls = try jsonLines(String(contentsOfFile: path, encoding: .utf8)).filter {
      $0["kind"] as? String == "stall"
    }
    let byThread = Dictionary(grouping: stalls) { $0["thread_id"] as? Int ?? 0 }
    #expect(byThread.count == 3)
    for holds in byThread.values {
      let spans = holds.map { (start: $0["started_ns"] as? Int ?? 0, duration: $0["duration_ns"] as? Int ?? 0) }
        .sorted { $0.start < $1.start }
      for (former, latter) in zip(spans, spans.dropFirst()) {
        // CF's timers keep their date in seconds as a Double: a few microseconds of rounding are allowed.
        #expect(latter.start - former.start - former.duration >= 19_900_000)
      }
    }
  }

  @Test func aKilledProgramLeavesTheOpenHoldBehind() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("truth.jsonl")
    let process = try WorkloadProcess([
      "--stalls", "4", "--min-stall", "60s", "--max-stall", "60s", "--threads", "0", "--nested", "0", "--truth", path,
    ])
    var began: [[String: Any]] = []
    var ended: [[String: Any]] = []
    for _ in 0..<600 where began.count == ended.count || began.isEmpty {
      usleep(50_000)
      let whole = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let lines = try jsonLines(whole.lastIndex(of: "\n").map { String(whole[...$0]) } ?? "")
      began = lines.filter { $0["kind"] as? String == "stall-began" }
      ended = lines.filter { $0["kind"] as? String == "stall" }
    }
    process.kill()
    #expect(try process.finish().status == SIGKILL)
    #expect(began.count == ended.count + 1)
    #expect(began.last?["thread_id"] as? Int != nil)
  }
}
