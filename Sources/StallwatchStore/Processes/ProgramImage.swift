import StallwatchCore
import Synchronization

/// The program that this process runs. By exec a process becomes another program, and by pid and start time it is still
/// the same process: what the former program left open is told apart by its age alone.
struct ProgramImage {
  /// The process.
  let process: ProcessIdentity
  /// How the monitor got into it. A process may have an embedded and an injected one, which know nothing of each other.
  let origin: String
  /// When its first session began: a session of this process that began before is a former program's.
  let firstSessionNs: Nanoseconds

  private static let first = Mutex<Nanoseconds?>(nil)

  /// This program, which begins `session`.
  init(beginning session: SessionRecord) {
    process = session.process
    origin = session.origin
    firstSessionNs = Self.first.withLock { first in
      let earliest = min(first ?? session.startedNs, session.startedNs)
      first = earliest
      return earliest
    }
  }

  /// Whether a session that is open in the store is one of a program that this process ran before.
  func replaced(_ process: ProcessIdentity, origin: String, startedNs: Nanoseconds) -> Bool {
    process == self.process && origin == self.origin && startedNs < firstSessionNs
  }
}
