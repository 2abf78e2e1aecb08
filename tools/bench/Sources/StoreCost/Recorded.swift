import Foundation
import StallwatchCore
import StallwatchStore

/// What a store is to hold.
struct Contents {
  var stalls: Int
  /// Looks at the stack of each stall.
  var samples = 8
  /// How many timers of 100 ms there are; each stall hurts all of them.
  var timers = 0
  /// Whether the drift probe ticks once a second.
  var ticks = false

  /// Rows that the stalls bring.
  var rows: Int { stalls * (1 + samples + timers) + (ticks ? stalls / stallsPerTick : 0) }
}

/// Records that are handed over at a time: three quarters of what the queue to the writer holds.
private let recordsAtATime = 3_000
/// One begins every 200 ms.
private let betweenStalls = 200 * Nanoseconds.millisecond
private let stallsPerTick = 5

/// A record that the queue refused: what was to be measured was not done.
struct Refused: Error {}

/// Writes stalls as a monitor would, as fast as the writer takes them.
func writeThroughRecorder(_ path: String, _ contents: Contents) throws -> [String: Any] {
  let start = 1_000 * Nanoseconds.second
  let recorder = try StoreRecorder(
    path: path,
    session: SessionRecord(
      process: .current(), command: ["store-cost"], startedAt: 1_700_000_000_000_000_000, startedNs: start,
      threshold: 50 * .millisecond, origin: "embedded", platform: "bench"))
  let loop = LoopID(rawValue: 1)
  recorder.take(.loop(LoopRecord(id: loop, name: "main", threadID: 1, isMain: true, startedNs: start)))
  recorder.take(.mode(ModeRecord(loop: loop, index: 0, name: "kCFRunLoopDefaultMode", attachedNs: start)))
  for number in 0..<UInt64(contents.timers) {
    recorder.take(
      .timer(
        TimerRecord(
          id: TimerID(rawValue: number + 1), loop: loop, name: "timer \(number)", kind: .runLoop, origin: 0,
          interval: 100 * .millisecond, tolerance: 0, modes: ["kCFRunLoopDefaultMode"], madeNs: start)))
  }
  recorder.settle(endedNs: start)
  // Its beginning, samples and end, what it did to timers, and at most one tick.
  let stallsAtATime = max(recordsAtATime / (4 + contents.timers), 1)
  let transactionsBefore = transactions(of: path)
  let before = recorder.cost.cpu
  let began = ContinuousClock.now
  for first in stride(from: 0, to: contents.stalls, by: stallsAtATime) {
    var moment = start
    for number in first..<min(first + stallsAtATime, contents.stalls) {
      moment = start + Nanoseconds(number + 1) * betweenStalls
      for record in records(of: number, at: moment, loop: loop, contents) {
        guard recorder.take(record) else { throw Refused() }
      }
    }
    recorder.settle(endedNs: moment + 150 * .millisecond)
  }
  let wall = began.duration(to: .now)
  let cpu = recorder.cost.cpu - before
  let transactions = transactions(of: path) - transactionsBefore
  recorder.close(endedNs: start + Nanoseconds(contents.stalls + 1) * betweenStalls)
  let wallNs = Int(wall / .nanoseconds(1))
  return ["rows": contents.rows, "wall_ns": wallNs, "cpu_ns": Int(cpu), "transactions": transactions]
}

/// How many transactions the log has seen: the change counter in the header of its index (SQLite, "WAL-mode file format").
private func transactions(of path: String) -> Int {
  guard let index = FileHandle(forReadingAtPath: path + "-shm"), let header = try? index.read(upToCount: 12) else {
    return 0
  }
  return header.dropFirst(8).reversed().reduce(0) { $0 << 8 | Int($1) }
}

private func records(of number: Int, at moment: Nanoseconds, loop: LoopID, _ contents: Contents) -> [Record] {
  // 200 signatures, durations from 50 to 149 ms.
  let stall = UInt64(number + 1)
  let signature = stall &* 2_654_435_761 % 200
  let duration = (50 + stall &* 40_503 % 100) * Nanoseconds.millisecond
  let id = StallID(rawValue: stall)
  var records: [Record] = [
    .stallBegan(
      StallBegan(
        id: id, loop: loop, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: moment,
        detectedNs: moment + 50 * .millisecond))
  ]
  if contents.samples > 0 {
    let seen = (0..<UInt64(contents.samples)).map { place in
      StackSample(
        atNs: moment + (50 + place) * .millisecond, weight: .millisecond, activity: .running,
        frames: (0..<24).map { 0x40_0000 + signature * 0x1000 + $0 * 64 + place % 3 })
    }
    records.append(
      .samples(
        StallSamples(
          stall: id, samples: seen,
          cause: StallCause(running: Nanoseconds(contents.samples) * .millisecond, blocked: 0, starved: 0))))
  }
  records.append(.stallEnded(StallEnded(id: id, state: .ended, duration: duration, phase: .service)))
  // What came due 25 ms after the stall began is late by the rest of it.
  let (due, lateness) = (moment + 25 * .millisecond, duration - 25 * .millisecond)
  for timer in 0..<UInt64(contents.timers) {
    records.append(
      .stallTimer(
        StallTimer(stall: id, timer: TimerID(rawValue: timer + 1), late: 1, dropped: 0, worstLateness: lateness)))
  }
  if contents.ticks, number % stallsPerTick == stallsPerTick - 1 {
    records.append(
      .driftTick(
        DriftTick(
          loop: loop, number: UInt64(number / stallsPerTick), dueNs: due, runLoopLateness: lateness,
          gcdLateness: 100_000, inOtherModes: 0)))
  }
  return records
}
