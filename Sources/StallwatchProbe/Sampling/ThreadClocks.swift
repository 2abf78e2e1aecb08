import CStallwatch
import StallwatchCore

extension ThreadTimes {
  #if os(Linux)
    /// Reads the clocks of a thread of this process, in about 10 µs. Nil when there is no such thread, or the kernel
    /// keeps no run delay.
    init?(ofThread threadID: UInt64) {
      var runDelay: UInt64 = 0
      let now = Platform.now()
      let cpu = stallwatch_thread_cpu(threadID)
      guard cpu > 0, stallwatch_thread_run_delay(threadID, &runDelay) else { return nil }
      self.init(atNs: now, cpu: cpu, runDelay: runDelay)
    }
  #else
    /// Apple's systems give no run delay, so blocked and starved time cannot be told apart: always nil.
    init?(ofThread threadID: UInt64) { nil }
  #endif
}
