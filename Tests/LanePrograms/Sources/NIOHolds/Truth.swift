import Foundation
import Synchronization

/// Collects what the program did with its loops, and writes it as `stallwatch-workload --lanes --truth` does.
final class Truth: Sendable {
  private struct Line: Encodable {
    var kind: String
    var number: Int?
    var loop: String?
    var laneKind: String?
    var culprits: [String]?
    var how: String
    var startedNs: UInt64
    var durationNs: UInt64
    var runDelayNs: UInt64?
  }
  private struct State {
    var lines: [Line] = []
    /// By loop, when its last hold ended.
    var ends: [String: LoopThread.Moment] = [:]
  }
  private let state = Mutex(State())

  /// Has `hold` hold the calling thread, which serves a loop, and notes when it did.
  func record(_ step: HoldStep, on thread: LoopThread, _ hold: (HoldStep) -> Void) {
    let start = thread.now
    hold(step)
    record(step, on: thread, since: start)
  }

  /// Notes that a hold of the calling thread, which serves a loop, ends now.
  func record(_ step: HoldStep, on thread: LoopThread, since start: LoopThread.Moment) {
    let end = thread.now
    let line = Line(
      kind: "stall", number: step.number, loop: thread.name, laneKind: "event loop", culprits: [step.way.culprit],
      how: "\(step.way.rawValue), \(step.isComputing ? "computes" : "sleeps")", startedNs: start.time,
      durationNs: end.time - start.time, runDelayNs: end.delay - start.delay)
    state.withLock {
      $0.lines.append(line)
      $0.ends[thread.name] = end
    }
  }

  /// Notes for how long a loop, after its last hold, waited for a processor before it could wait for work. Call when it
  /// does.
  func recordDelay(of thread: LoopThread) {
    let now = thread.now
    state.withLock {
      guard let end = $0.ends[thread.name], now.delay > end.delay else { return }
      $0.lines.append(
        Line(
          kind: "preempted", loop: thread.name, how: "machine", startedNs: end.time, durationNs: now.delay - end.delay))
    }
  }

  /// Notes that the machine let a thread that nothing held run too late.
  func recordPreemption(from start: UInt64, to end: UInt64) {
    state.withLock {
      $0.lines.append(Line(kind: "preempted", how: "machine", startedNs: start, durationNs: end - start))
    }
  }

  /// Writes everything to a file, one line each. Does nothing without a path.
  func write(to path: String?) throws {
    guard let path else { return }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let text = try state.withLock {
      try $0.lines.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
    }
    try text.joined().write(toFile: path, atomically: true, encoding: .utf8)
  }
}

/// Starts a thread that sleeps for 5 ms at a time, and notes when it wakes more than 10 ms late.
func startMetronome(_ truth: Truth) {
  Thread.detachNewThread {
    while true {
      let due = monotonicNow() + 5_000_000
      usleep(5_000)
      let now = monotonicNow()
      if now > due + 10_000_000 { truth.recordPreemption(from: due, to: now) }
    }
  }
}

/// The monotonic clock, in nanoseconds.
func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
