import Foundation
import Synchronization

/// A control for what is the machine's fault: a thread that beats every 5 ms, and notes when a beat came more than 10 ms
/// late; then the whole process may have been. It also notes when the kernel kept one of the scenario's loops waiting for
/// a processor for so long.
final class Metronome: Sendable {
  private struct Score {
    var lines: [ScenarioLine] = []
    /// The run delay of each thread that is listened to, when last read.
    var runDelays: [UInt64: UInt64?] = [:]
  }

  private let score = Mutex(Score())
  private static let beat: UInt64 = 5
  private static let toleranceNs: UInt64 = 10_000_000

  /// What was noted so far.
  var lines: [ScenarioLine] { score.withLock { $0.lines } }

  /// Listens to a thread from now on.
  func listen(to threadID: UInt64) {
    let delay = runDelay(ofThread: threadID)
    score.withLock { $0.runDelays[threadID] = delay }
  }

  /// Notes that a thread was late, if it was: something that was to take `expected` milliseconds took longer.
  func note(thread threadID: UInt64, from startedNs: UInt64, expectedMilliseconds expected: UInt64) {
    note(from: startedNs + expected * 1_000_000, until: monotonicNow(), thread: threadID)
  }

  /// Starts the thread; it lasts as long as the program.
  func start() {
    let thread = Thread { [self] in
      nameThread("metronome")
      var lastNs = monotonicNow()
      while true {
        // Reading is part of the beat: the metronome may lose its processor there too, and hold a lock of malloc that the
        // loops wait for.
        readRunDelays()
        pause(milliseconds: Self.beat)
        let now = monotonicNow()
        note(from: lastNs + Self.beat * 1_000_000, until: now, thread: nil)
        lastNs = now
      }
    }
    thread.start()
  }

  /// The kernel adds to a thread's run delay when the thread gets its processor: what was added since the last beat ended
  /// at most a beat ago.
  private func readRunDelays() {
    for (threadID, before) in score.withLock({ $0.runDelays }) {
      guard let delay = runDelay(ofThread: threadID) else { continue }
      score.withLock { $0.runDelays[threadID] = delay }
      let now = monotonicNow()
      if let before, delay > before { note(from: now - (delay - before), until: now, thread: threadID) }
    }
  }

  private func note(from startedNs: UInt64, until endedNs: UInt64, thread threadID: UInt64?) {
    guard endedNs > startedNs + Self.toleranceNs else { return }
    var line = ScenarioLine(.preempted)
    line.threadID = threadID
    line.startedNs = startedNs
    line.durationNs = endedNs - startedNs
    score.withLock { $0.lines.append(line) }
  }
}
