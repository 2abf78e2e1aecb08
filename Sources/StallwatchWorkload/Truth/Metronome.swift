import Foundation

/// A control for the machine's own lateness: a thread that watches no loop, sleeps for 5 ms at a time, and writes a
/// `preempted` line when it wakes more than 10 ms late.
final class Metronome: Sendable {
  private let truth: TruthWriter
  private static let beat: Nanoseconds = 5_000_000
  /// The least lateness that gets a line, 10 ms: well above a scheduler's slice, well below a threshold.
  private static let tolerance: Nanoseconds = 10_000_000

  init(truth: TruthWriter) { self.truth = truth }

  /// Starts the thread, which runs as long as the program.
  func start() {
    let thread = Thread { [truth] in
      nameThread("metronome")
      while true {
        let due = MonotonicClock.now + Self.beat
        usleep(UInt32(Self.beat / 1_000))
        let now = MonotonicClock.now
        guard now > due + Self.tolerance else { continue }
        var line = TruthLine(.preempted)
        line.startedNs = due
        line.durationNs = now - due
        truth.append(line)
      }
    }
    thread.start()
  }
}
