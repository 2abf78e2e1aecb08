import CStallwatch
import StallwatchCore

/// A thread's CPU time at a moment, on the monotonic clock.
package struct ThreadReading {
  package var atNs: Nanoseconds
  package var cpu: Nanoseconds
  /// What it did then; nil where that is not known.
  package var activity: ThreadActivity?

  init(atNs: Nanoseconds, cpu: Nanoseconds, _ activity: ThreadActivity?) {
    (self.atNs, self.cpu, self.activity) = (atNs, cpu, activity)
  }

  #if os(Linux)
    /// Reads the clock of a thread; its CPU time is 0 if there is no such thread.
    init(of threadID: UInt64) {
      cpu = stallwatch_thread_cpu(threadID)
      // Read last: should this thread wait in between, the other seems to have been off its processor, and not on it.
      atNs = Platform.now()
    }
  #endif
}
