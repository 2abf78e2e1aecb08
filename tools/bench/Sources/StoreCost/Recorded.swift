import Foundation
import StallwatchCore
import StallwatchStore

/// Stalls that are handed over at a time: 3,000 records, three quarters of what the queue to the writer holds.
private let stallsAtATime = 1_000

/// Writes stalls as a monitor would, as fast as the writer takes them.
func writeThroughRecorder(_ path: String, stalls: Int, samples: Int) throws -> [String: Any] {
  let start = 1_000 * Nanoseconds.second
  let recorder = try StoreRecorder(
    path: path,
    session: SessionRecord(
      process: .current(), command: ["store-cost"], startedAt: 1_700_000_000_000_000_000, startedNs: start,
      threshold: 50 * .millisecond, origin: "embedded", platform: "bench"))
  let loop = LoopID(rawValue: 1)
  recorder.take(.loop(LoopRecord(id: loop, name: "main", threadID: 1, isMain: true, startedNs: start)))
  recorder.take(.mode(ModeRecord(loop: loop, index: 0, name: "kCFRunLoopDefaultMode", attachedNs: start)))
  recorder.settle(endedNs: start)
  let transactionsBefore = transactions(of: path)
  let before = recorder.threadCPU
  let began = ContinuousClock.now
  for first in stride(from: 0, to: stalls, by: stallsAtATime) {
    var moment = start
    for number in first..<min(first + stallsAtATime, stalls) {
      moment = start + Nanoseconds(number + 1) * 200 * .millisecond
      take(stall: UInt64(number + 1), at: moment, samples: samples, loop: loop, by: recorder)
    }
    recorder.settle(endedNs: moment + 150 * .millisecond)
  }
  let wall = began.duration(to: .now)
  let cpu = recorder.threadCPU - before
  let transactions = transactions(of: path) - transactionsBefore
  recorder.close(endedNs: start + Nanoseconds(stalls + 1) * 200 * .millisecond)
  let rows = stalls * (1 + samples)
  return ["rows": rows, "wall_ns": Int(wall / .nanoseconds(1)), "cpu_ns": Int(cpu), "transactions": transactions]
}

/// How many transactions the log has seen: the change counter in the header of its index (SQLite, "WAL-mode file format").
private func transactions(of path: String) -> Int {
  guard let index = FileHandle(forReadingAtPath: path + "-shm"), let header = try? index.read(upToCount: 12) else {
    return 0
  }
  return header.dropFirst(8).reversed().reduce(0) { $0 << 8 | Int($1) }
}

private func take(stall: UInt64, at moment: Nanoseconds, samples: Int, loop: LoopID, by recorder: StoreRecorder) {
  // 200 signatures, durations from 50 to 149 ms.
  let signature = stall &* 2_654_435_761 % 200
  let duration = (50 + stall &* 40_503 % 100) * Nanoseconds.millisecond
  let id = StallID(rawValue: stall)
  recorder.take(
    .stallBegan(
      StallBegan(
        id: id, loop: loop, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: moment,
        detectedNs: moment + 50 * .millisecond)))
  if samples > 0 {
    let seen = (0..<UInt64(samples)).map { place in
      StackSample(
        atNs: moment + (50 + place) * .millisecond, weight: .millisecond, activity: .running,
        frames: (0..<24).map { 0x40_0000 + signature * 0x1000 + $0 * 64 + place % 3 })
    }
    recorder.take(
      .samples(
        StallSamples(
          stall: id, samples: seen,
          cause: StallCause(running: Nanoseconds(samples) * .millisecond, blocked: 0, starved: 0))))
  }
  recorder.take(.stallEnded(StallEnded(id: id, state: .ended, duration: duration, phase: .service)))
}
