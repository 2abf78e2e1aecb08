import CStallwatch
import StallwatchCore

/// A thread's CPU time at a moment, on the monotonic clock.
package struct ThreadReading {
  package var atNs: Nanoseconds
  /// The CPU time was read between this moment and ``atNs``; the reading thread may have waited for a processor meanwhile.
  package var sinceNs: Nanoseconds
  package var cpu: Nanoseconds
  /// What it did then; nil where that is not known.
  package var activity: ThreadActivity?

  init(sinceNs: Nanoseconds? = nil, atNs: Nanoseconds, cpu: Nanoseconds, _ activity: ThreadActivity?) {
    (self.sinceNs, self.atNs, self.cpu, self.activity) = (sinceNs ?? atNs, atNs, cpu, activity)
  }

  #if os(Linux)
    /// Reads the clock of a thread; its CPU time is 0 if there is no such thread.
    init(of threadID: UInt64) {
      sinceNs = Platform.now()
      cpu = stallwatch_thread_cpu(threadID)
      // Read last: should this thread wait in between, the other seems to have been off its processor, and not on it.
      atNs = Platform.now()
    }
  #endif
}
