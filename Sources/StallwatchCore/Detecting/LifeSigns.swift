/// What the kernel had counted at one moment for the threads whose running shows that the process ran. Every count only
/// grows.
public struct LifeSigns: Sendable {
  /// The moment, on the monotonic clock.
  public var atNs: Nanoseconds
  /// CPU time of the watchdog's thread.
  public var cpu: Nanoseconds
  /// For how long the watchdog's thread had been runnable without a processor; nil where unknown.
  public var runDelay: Nanoseconds?
  /// CPU time of a thread that never runs of its own accord: it grows only when the kernel wakes the thread to stop,
  /// freeze or trace it. Nil where there is no such thread.
  public var sleeperCPU: Nanoseconds?
  /// CPU time of the threads whose loops are held, by thread.
  public var held: [UInt64: Nanoseconds]

  /// What was counted at a moment.
  public init(
    atNs: Nanoseconds, cpu: Nanoseconds, runDelay: Nanoseconds?, sleeperCPU: Nanoseconds?,
    held: [UInt64: Nanoseconds] = [:]
  ) {
    self.atNs = atNs
    self.cpu = cpu
    self.runDelay = runDelay
    self.sleeperCPU = sleeperCPU
    self.held = held
  }

  /// The most CPU time that one thread with a held loop had since an earlier moment.
  func heldCPU(since before: LifeSigns) -> Nanoseconds {
    held.reduce(0) { most, thread in
      max(most, before.held[thread.key].map { thread.value.since($0) } ?? 0)
    }
  }
}
