import Foundation
import StallwatchCore
import StallwatchStore

/// What a store is to hold.
struct Contents {
  var stalls: Int
  /// Looks at the stack of each stall.
  var samples = 8
  /// How many loops have the stalls in turn.
  var loops = 1
  /// How many timers of 100 ms each loop has; each of its stalls hurts all of them.
  var timers = 0
  /// Whether the drift probe ticks once a second on each loop.
  var ticks = false
}

/// Records that are handed over at a time: three quarters of what the queue to the writer holds.
private let recordsAtATime = 3_000
/// On each loop one begins every 200 ms.
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
  for number in 0..<contents.loops { takeLoop(number, startedNs: start, contents, by: recorder) }
  recorder.settle(endedNs: nil)
  // Its beginning, samples and end, what it did to timers, and at most one tick.
  let stallsAtATime = max(recordsAtATime / (4 + contents.timers), 1)
  let transactionsBefore = transactions(of: path)
  let before = recorder.cost.cpu
  let began = ContinuousClock.now
  for first in stride(from: 0, to: contents.stalls, by: stallsAtATime) {
    for number in first..<min(first + stallsAtATime, contents.stalls) {
      let moment = start + Nanoseconds(number + 1) * betweenStalls / Nanoseconds(contents.loops)
      for record in records(of: number, at: moment, contents) {
        guard recorder.take(record) else { throw Refused() }
      }
    }
    recorder.settle(endedNs: nil)
  }
  let wall = began.duration(to: .now)
  let cpu = recorder.cost.cpu - before
  let transactions = transactions(of: path) - transactionsBefore
  recorder.close(endedNs: start + Nanoseconds(contents.stalls + contents.loops) * betweenStalls)
  return ["wall_ns": Int(wall / .nanoseconds(1)), "cpu_ns": Int(cpu), "transactions": transactions]
}

/// A loop of one mode, and its timers.
private func takeLoop(_ number: Int, startedNs: Nanoseconds, _ contents: Contents, by recorder: StoreRecorder) {
  let loop = LoopID(rawValue: UInt32(number + 1))
  let mode = "kCFRunLoopDefaultMode"
  recorder.take(
    .loop(
      LoopRecord(
        id: loop, name: number == 0 ? "main" : "loop \(number)", threadID: UInt64(number + 1), isMain: number == 0,
        startedNs: startedNs)))
  recorder.take(.mode(ModeRecord(loop: loop, index: 0, name: mode, attachedNs: startedNs)))
  for timer in timers(ofLoop: number, contents) {
    recorder.take(
      .timer(
        TimerRecord(
          id: timer, loop: loop, name: "timer \(timer.rawValue)", kind: .runLoop, origin: 0,
          interval: 100 * .millisecond, tolerance: 0, modes: [mode], madeNs: startedNs)))
  }
}

private func timers(ofLoop number: Int, _ contents: Contents) -> [TimerID] {
  (0..<contents.timers).map { TimerID(rawValue: UInt64(number * contents.timers + $0 + 1)) }
}

/// How many transactions the log has seen: the change counter in the header of its index (SQLite, "WAL-mode file format").
private func transactions(of path: String) -> Int {
  guard let index = FileHandle(forReadingAtPath: path + "-shm"), let header = try? index.read(upToCount: 12) else {
    return 0
  }
  return header.dropFirst(8).reversed().reduce(0) { $0 << 8 | Int($1) }
}

private func records(of number: Int, at moment: Nanoseconds, _ contents: Contents) -> [Record] {
  // 200 signatures, durations from 50 to 149 ms.
  let stall = UInt64(number + 1)
  let signature = stall &* 2_654_435_761 % 200
  let duration = (50 + stall &* 40_503 % 100) * Nanoseconds.millisecond
  let id = StallID(rawValue: stall)
  let (place, turn) = (number % contents.loops, number / contents.loops)
  let loop = LoopID(rawValue: UInt32(place + 1))
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
  for timer in timers(ofLoop: place, contents) {
    records.append(
      .stallTimer(StallTimer(stall: id, timer: timer, late: 1, dropped: 0, worstLateness: lateness)))
  }
  if contents.ticks, turn % stallsPerTick == stallsPerTick - 1 {
    records.append(
      .driftTick(
        DriftTick(
          loop: loop, number: UInt64(turn / stallsPerTick), dueNs: due, runLoopLateness: lateness,
          gcdLateness: 100_000, inOtherModes: 0)))
  }
  return records
}
