/// What the system's clocks showed for a thread at one moment. All values in nanoseconds.
package struct ThreadTimes: Sendable, Equatable {
  /// When they were read, on the monotonic clock.
  package var atNs: Nanoseconds
  /// Time on a processor since the thread began.
  package var cpu: Nanoseconds
  /// Time runnable without a processor since the thread began. The kernel counts a wait when it is over.
  package var runDelay: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(atNs: Nanoseconds, cpu: Nanoseconds, runDelay: Nanoseconds) {
    self.atNs = atNs
    self.cpu = cpu
    self.runDelay = runDelay
  }
}

extension StallCause {
  /// Divides the time between two readings of one thread, to the nanosecond.
  ///
  /// CPU time is `running`, limited to the time between the readings, because the three clocks are read microseconds
  /// apart. Run delay is `starved`, limited to what remains, because it may include a wait that began before the first
  /// reading. The rest is `blocked`: the thread had no processor and wanted none. A wait for a processor that goes on
  /// at the second reading is in that rest, because no clock shows it yet. Readings in the wrong order, or of two
  /// threads (the system uses numbers again), give no negative part and no more than the time between them.
  package init(from first: ThreadTimes, to last: ThreadTimes) {
    let watched = last.atNs.since(first.atNs)
    let running = min(last.cpu.since(first.cpu), watched)
    let starved = min(last.runDelay.since(first.runDelay), watched - running)
    self.init(running: running, blocked: watched - running - starved, starved: starved)
  }
}
