/// What the system's clocks said of a thread at one moment.
public struct ThreadTimes: Sendable, Equatable {
  /// When they were read.
  public var atNs: Nanoseconds
  /// For how long the thread had been on a processor since it began.
  public var cpu: Nanoseconds
  /// For how long it had been runnable without a processor since it began. A wait for a processor counts when it is over.
  public var runDelay: Nanoseconds

  /// A reading.
  public init(atNs: Nanoseconds, cpu: Nanoseconds, runDelay: Nanoseconds) {
    self.atNs = atNs
    self.cpu = cpu
    self.runDelay = runDelay
  }
}

extension StallCause {
  /// Divides the time between two readings of the same thread, to the nanosecond.
  ///
  /// CPU time is `running`, at most all of it: the readings of three clocks lie microseconds apart. Run delay is `starved`,
  /// at most what is left: it may include a wait that began before the first reading. The remainder is `blocked`: a thread that
  /// had neither a processor nor a wish for one. A wait for a processor that is not over at the second reading is in the
  /// remainder, because no clock tells it yet. Readings of two threads (a number that was used
  /// again), or in the wrong order, divide nothing but what they can.
  public init(from first: ThreadTimes, to last: ThreadTimes) {
    let watched = last.atNs.since(first.atNs)
    let running = min(last.cpu.since(first.cpu), watched)
    let starved = min(last.runDelay.since(first.runDelay), watched - running)
    self.init(running: running, blocked: watched - running - starved, starved: starved)
  }
}
