import CStallwatch
import StallwatchCore

/// Reads the clocks of one thread of this process again and again.
struct ThreadClocks {
  #if os(Linux)
    private let threadID: UInt64
    /// The reading at which the kernel was last asked for the run delay.
    private var asked: Asked?
    private var last: ThreadTimes?
    /// What the thread did at the last reading; nil where that is not known.
    private var lastActivity: ThreadActivity?
    /// The last reading whose run delay leaves nothing out, and how many have done without since.
    private var exact: ThreadTimes?
    private var without = 0

    private struct Asked {
      /// Before the CPU time was read: whatever the thread waited after that must not seem shorter.
      var sinceNs: Nanoseconds
      var cpu: Nanoseconds
      var runDelay: Nanoseconds
      /// Whether the thread ran then: the kernel adds a wait when it is over, so one that was going on would be missing.
      var isRunning: Bool
    }

    /// The most time off a processor since the kernel was asked for the run delay that may count as blocked, though the
    /// thread may have waited for a processor in it. Asking takes as long as a look at a thread that has not moved.
    private static let mostUnknown = 100 * Nanoseconds.microsecond
    /// So many readings in a row do without the run delay while a thread that is blocked hardly runs in between, or one that
    /// runs hardly does anything else. It is a sum: the next reading that asks, or ``settledRunDelay(_:)``, makes up for
    /// what they leave out.
    private static let mostWithout = 3

    init(ofThread threadID: UInt64) { self.threadID = threadID }

    /// The clocks now, or at a `reading` from a moment ago; `runDelay` asks the kernel for the run delay. Where it `mayWait`,
    /// some readings leave the growth of that out. Nil when there is no such thread, or the kernel keeps no run delay.
    mutating func read(
      _ reading: ThreadReading? = nil, mayWait: Bool = false, runDelay: () -> Nanoseconds?
    ) -> ThreadTimes? {
      let reading = reading ?? ThreadReading(of: threadID)
      guard reading.cpu > 0 else { return nil }
      var times = ThreadTimes(atNs: reading.atNs, cpu: reading.cpu, runDelay: 0)
      defer { lastActivity = reading.activity }
      if let known = knownRunDelay(times) {
        times.runDelay = known
        if without == 0 { exact = times }
      } else if mayWait, reading.activity == lastActivity, let last, canWait(since: last, times) {
        times.runDelay = last.runDelay
        without += 1
      } else {
        // This comes before the question: a wait that ends after the answer is missing in it. If the thread has begun to
        // wait since the reading, that counts as unknown the next time.
        let isRunning = reading.activity.map { $0 == .running } ?? (stallwatch_thread_cpu(threadID) != reading.cpu)
        guard let delay = runDelay() else { return nil }
        times.runDelay = delay
        (exact, without) = (times, 0)
        asked = Asked(sinceNs: reading.sinceNs, cpu: reading.cpu, runDelay: delay, isRunning: isRunning)
      }
      last = times
      return times
    }

    private func canWait(since last: ThreadTimes, _ times: ThreadTimes) -> Bool {
      let (ran, passed) = (times.cpu.since(last.cpu), times.atNs.since(last.atNs))
      return switch lastActivity {
      case .blocked: without < Self.mostWithout && ran <= passed / 8
      case .running: without < Self.mostWithout && passed.since(ran) <= passed / 8
      default: false
      }
    }

    /// The run delay at the last reading, if that left something out; `runDelay` asks the kernel. The thread may have
    /// waited after that reading, too, but in it no longer than it was off a processor.
    mutating func settledRunDelay(_ runDelay: () -> Nanoseconds?) -> Nanoseconds? {
      guard without > 0, let exact, let last, let delay = runDelay() else { return nil }
      without = 0
      let off = last.atNs.since(exact.atNs).since(last.cpu.since(exact.cpu))
      return exact.runDelay + min(delay.since(exact.runDelay), off)
    }

    /// The run delay without asking: it grows when a thread gets a processor, so not while the thread does not run; and
    /// hardly while it does nothing else.
    private func knownRunDelay(_ times: ThreadTimes) -> Nanoseconds? {
      guard let asked, let last else { return nil }
      if times.cpu == last.cpu { return last.runDelay }
      let off = times.atNs.since(asked.sinceNs).since(times.cpu.since(asked.cpu))
      return asked.isRunning && off <= Self.mostUnknown ? asked.runDelay : nil
    }
  #else
    init(ofThread threadID: UInt64) {}

    /// Apple's systems give no run delay, so blocked and starved time cannot be told apart: always nil.
    mutating func read(
      _ reading: ThreadReading? = nil, mayWait: Bool = false, runDelay: () -> Nanoseconds?
    ) -> ThreadTimes? { nil }
    mutating func settledRunDelay(_ runDelay: () -> Nanoseconds?) -> Nanoseconds? { nil }
  #endif
}
