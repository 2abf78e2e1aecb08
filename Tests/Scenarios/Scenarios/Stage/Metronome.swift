import Foundation
import Synchronization

/// A control for what is the machine's fault: a thread that sleeps for 5 ms at a time, and notes when it woke more than
/// 10 ms late.
final class Metronome: Sendable {
  private let noted = Mutex<[ScenarioLine]>([])
  private static let beat: UInt64 = 5
  private static let toleranceNs: UInt64 = 10_000_000

  /// What was noted so far.
  var lines: [ScenarioLine] { noted.withLock { $0 } }

  /// Starts the thread; it lasts as long as the program.
  func start() {
    let thread = Thread { [self] in
      nameThread("metronome")
      while true {
        let dueNs = monotonicNow() + Self.beat * 1_000_000
        pause(milliseconds: Self.beat)
        let now = monotonicNow()
        guard now > dueNs + Self.toleranceNs else { continue }
        var line = ScenarioLine(.preempted)
        line.startedNs = dueNs
        line.durationNs = now - dueNs
        noted.withLock { $0.append(line) }
      }
    }
    thread.start()
  }
}
