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

    /// The most time off a processor that shows in no other way than by the clocks: a thread that has run all the time but
    /// for so little runs now, too.
    private static let mostOff = 100 * Nanoseconds.microsecond

    /// Whether the thread has run ever since an earlier reading.
    func hasRunOn(since earlier: ThreadReading) -> Bool {
      let ran = cpu.since(earlier.cpu)
      return ran > 0 && atNs.since(earlier.sinceNs).since(ran) <= Self.mostOff
    }
  #endif
}
