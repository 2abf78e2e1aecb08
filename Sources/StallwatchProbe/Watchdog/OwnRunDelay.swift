import StallwatchCore

/// The watchdog's own run delay, for the judge of suspensions. Asking the kernel takes as long as a look at a held
/// thread, and before most rests it would answer what it did before: the thread has slept for as long as it meant to,
/// and run in between.
///
/// What was read too low makes a later wait for a processor seem longer, and so an exclusion shorter, never longer.
struct OwnRunDelay {
  /// The most that the delay may have grown since it was read, for it to be used again.
  private static let mostUnknown = 500 * Nanoseconds.microsecond

  private var readNs: Nanoseconds = 0
  private var readCPU: Nanoseconds = 0
  private var delay: Nanoseconds?
  private let count = RunDelayCount()
  /// Time asleep since then, as planned.
  private var asleep: Nanoseconds = 0

  /// Notes that the thread slept from `start` on, until `end`, and was to do so until `due`.
  mutating func slept(from start: Nanoseconds, due: Nanoseconds, until end: Nanoseconds) {
    asleep += min(due, end).since(start)
  }

  /// Notes that the thread rests for long.
  func rest() { count.rest() }

  /// The delay now; nil where unknown. `cpu` is the thread's CPU time.
  mutating func read(at now: Nanoseconds, cpu: Nanoseconds, mayReuse: Bool) -> Nanoseconds? {
    let unknown = now.since(readNs).since(cpu.since(readCPU)).since(asleep)
    if mayReuse, let delay, unknown <= Self.mostUnknown { return delay }
    delay = count.read()
    (readNs, readCPU, asleep) = (now, cpu, 0)
    return delay
  }
}
