/// The kernel's counts, at one moment, for the threads whose running proves that the process ran. Every count only
/// grows.
package struct LifeSigns: Sendable {
  /// The moment, on the monotonic clock.
  package var atNs: Nanoseconds
  /// CPU time of the watchdog's thread.
  package var cpu: Nanoseconds
  /// How long the watchdog's thread had been runnable without a processor; nil where unknown.
  package var runDelay: Nanoseconds?
  /// CPU time of a thread that never runs by itself: it grows only when the kernel wakes the thread to stop, freeze or
  /// trace it. Nil where there is no such thread.
  package var sleeperCPU: Nanoseconds?
  /// CPU time of each thread whose loop is held, by thread number.
  package var held: [UInt64: Nanoseconds]

  /// Sets every property as given; checks nothing.
  package init(
    atNs: Nanoseconds, cpu: Nanoseconds, runDelay: Nanoseconds?, sleeperCPU: Nanoseconds?,
    held: [UInt64: Nanoseconds] = [:]
  ) {
    self.atNs = atNs
    self.cpu = cpu
    self.runDelay = runDelay
    self.sleeperCPU = sleeperCPU
    self.held = held
  }

  /// The most CPU time that any one thread with a held loop used since `before`.
  func heldCPU(since before: LifeSigns) -> Nanoseconds {
    held.reduce(0) { most, thread in
      max(most, before.held[thread.key].map { thread.value.since($0) } ?? 0)
    }
  }
}
