import Foundation
import Synchronization

/// A control for what is the machine's fault: a thread that beats every 5 ms, and notes when a beat came more than 10 ms
/// late; then the whole process may have been. It also notes for how long the kernel kept each thread of the process waiting
/// for a processor: the thread of a loop, or one that holds what a loop's thread waits for.
final class Metronome: Sendable {
  private struct Score {
    var lines: [ScenarioLine] = []
    /// How many beats have begun.
    var beats = 0
  }

  private let score = Mutex(Score())
  private static let beat: UInt64 = 5
  private static let toleranceNs: UInt64 = 10_000_000
  /// A run delay is exact, and many short ones make a long wait: only those are left out that are next to nothing.
  private static let runDelayToleranceNs: UInt64 = 100_000
  /// Run delays are read at every fourth beat: to read them of all threads takes a while.
  private static let beatsBetweenReadings = 4

  /// What was noted until run delays were read after the call. Waits for that: what delayed the last moments of a scenario
  /// is noted then.
  func finish() -> [ScenarioLine] {
    let begun = score.withLock { $0.beats }
    while score.withLock({ $0.beats }) < begun + Self.beatsBetweenReadings + 1 { pause(milliseconds: 1) }
    return score.withLock { $0.lines }
  }

  /// Notes that a thread was late, if it was: something that was to take `expected` milliseconds took longer.
  func note(thread threadID: UInt64, from startedNs: UInt64, expectedMilliseconds expected: UInt64) {
    noteIfLate(from: startedNs + expected * 1_000_000, until: monotonicNow(), thread: threadID)
  }

  /// Starts the thread; it lasts as long as the program.
  func start() {
    let thread = Thread { [self] in
      nameThread("metronome")
      var lastNs = monotonicNow()
      var lastReadNs = lastNs
      var runDelays: [UInt64: UInt64] = [:]
      while true {
        // Reading is part of the beat: the metronome may lose its processor there too, and hold a lock of malloc that the
        // loops wait for.
        let beats = score.withLock { score in
          score.beats += 1
          return score.beats
        }
        if beats % Self.beatsBetweenReadings == 0 {
          let readNs = monotonicNow()
          runDelays = readRunDelays(since: lastReadNs, before: runDelays)
          lastReadNs = readNs
        }
        pause(milliseconds: Self.beat)
        let now = monotonicNow()
        noteIfLate(from: lastNs + Self.beat * 1_000_000, until: now, thread: nil)
        lastNs = now
      }
    }
    thread.start()
  }

  /// Notes how the run delays grew, and returns them. The kernel adds to a thread's run delay when the thread gets its
  /// processor: what was added since the last reading ended since then, and began no earlier than so long before it. A beat
  /// itself may be late.
  private func readRunDelays(since lastNs: UInt64, before: [UInt64: UInt64]) -> [UInt64: UInt64] {
    var delays: [UInt64: UInt64] = [:]
    for threadID in threadIDs() {
      guard let delay = runDelay(ofThread: threadID) else { continue }
      delays[threadID] = delay
      let now = monotonicNow()
      // A thread that is new has waited since then only.
      let added = delay - min(delay, before[threadID] ?? 0)
      guard added > Self.runDelayToleranceNs else { continue }
      note(from: lastNs - min(lastNs, added), until: now, thread: threadID)
    }
    return delays
  }

  private func noteIfLate(from startedNs: UInt64, until endedNs: UInt64, thread threadID: UInt64?) {
    if endedNs > startedNs + Self.toleranceNs { note(from: startedNs, until: endedNs, thread: threadID) }
  }

  private func note(from startedNs: UInt64, until endedNs: UInt64, thread threadID: UInt64?) {
    var line = ScenarioLine(.preempted)
    line.threadID = threadID
    line.startedNs = startedNs
    line.durationNs = endedNs - startedNs
    score.withLock { $0.lines.append(line) }
  }
}
