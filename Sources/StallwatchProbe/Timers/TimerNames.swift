import StallwatchCore
import Synchronization

/// The names that the program gave to timers. Any thread.
final class TimerNames: Sendable {
  private let names = Lock<[TimerID: String]>([:])

  subscript(timer: TimerID) -> String? {
    get { names.withLock { $0[timer] } }
    set { names.withLock { $0[timer] = newValue } }
  }
}
