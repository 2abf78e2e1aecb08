import StallwatchCore
import Synchronization

/// The program that this process runs. By exec a process becomes another program but keeps its pid and start time; only
/// their age distinguishes the sessions that the former program left open.
struct ProgramImage {
  /// The identity of the process.
  let process: ProcessIdentity
  /// How the monitor got into it. A process may have an embedded and an injected one, unknown to each other.
  let origin: String
  /// When its first session began, on the monotonic clock: an earlier session of this process is a former program's.
  let firstSessionNs: Nanoseconds

  private static let first = Mutex<Nanoseconds?>(nil)

  /// The program that begins `session`.
  init(beginning session: SessionRecord) {
    process = session.process
    origin = session.origin
    firstSessionNs = Self.first.withLock { first in
      let earliest = min(first ?? session.startedNs, session.startedNs)
      first = earliest
      return earliest
    }
  }

  /// Whether an open session in the store belongs to a program that this process ran before.
  func replaced(_ process: ProcessIdentity, origin: String, startedNs: Nanoseconds) -> Bool {
    process == self.process && origin == self.origin && startedNs < firstSessionNs
  }
}
