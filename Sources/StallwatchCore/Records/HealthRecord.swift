/// What the monitor itself cost and how punctual it was, from the session's start until now.
package struct HealthRecord: Sendable {
  /// When the monitor read them, on the monotonic clock. A process dies at most one flush after its last such record.
  package var atNs: Nanoseconds
  /// Time spent in our observers on watched threads, estimated from a sample of their calls; 0 before the first sample.
  package var observerTotal: Nanoseconds
  /// CPU time of the monitor's own threads; of those besides the watchdog's, up to 250 ms earlier.
  package var monitorCPU: Nanoseconds
  /// How many times the watchdog woke up.
  package var wakeups: UInt64
  /// How many wake-ups the drift probe caused: of waiting loops, of the watchdog for a tick, and of the control.
  package var driftWakeups: UInt64
  /// How late the watchdog's timed sleeps ended: the growth since the last record that has any, as counters of
  /// ``HistogramLayout``. Ignore its metric.
  package var watchdogLateness: MetricDelta?
  /// Why the monitor does not interrupt running threads to read their stacks, in words that complete "because …"; nil
  /// while it may, or while it had none to look at.
  package var signalObstacle: String?

  /// Sets every property as given; checks nothing.
  package init(
    atNs: Nanoseconds, observerTotal: Nanoseconds, monitorCPU: Nanoseconds, wakeups: UInt64,
    driftWakeups: UInt64 = 0, watchdogLateness: MetricDelta? = nil, signalObstacle: String? = nil
  ) {
    self.atNs = atNs
    self.observerTotal = observerTotal
    self.monitorCPU = monitorCPU
    self.wakeups = wakeups
    self.driftWakeups = driftWakeups
    self.watchdogLateness = watchdogLateness
    self.signalObstacle = signalObstacle
  }
}

/// Records that did not fit into a bounded buffer, or looks at a thread that brought no stack.
package struct LossRecord: Sendable {
  /// Which buffer: `spans` (a loop's queue of rare events), `records` (the writer's queue), `modes` (a loop's table of
  /// modes), `activations` (nesting deeper than the stack), `loops` (the table of loops), `samples` (those of one
  /// stall, or a profile's stacks between two flushes), `frames` (those of one stack), `ticks` (a loop's queue of drift
  /// ticks), `timers` (timers that found no place in the ledger), `items` (of the main queue, where Dispatch serves it),
  /// `late-fires` (a loop's queue of late callouts, and those that wait for their stalls to end). Or `looks`: looks at
  /// held or busy threads that brought no stack.
  package var what: String
  /// The loop that lost them; nil if the loss belongs to no one loop.
  package var loop: LoopID?
  /// How many were lost since the last such record.
  package var count: UInt64

  /// Sets every property as given; checks nothing.
  package init(what: String, loop: LoopID?, count: UInt64) {
    self.what = what
    self.loop = loop
    self.count = count
  }
}
