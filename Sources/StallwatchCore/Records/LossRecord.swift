/// Records that did not fit into a bounded buffer, or looks at a thread that brought no stack.
package struct LossRecord: Sendable {
  /// Which buffer: `spans` (a loop's queue of rare events), `records` (the writer's queue), `modes` (a loop's table of
  /// modes), `activations` (nesting deeper than the stack), `loops` (the table of loops), `samples` (those of one
  /// stall, or a profile's stacks between two flushes), `frames` (those of one stack), `ticks` (a loop's queue of drift
  /// ticks), `timers` (timers that found no place in the ledger), `late-fires` (a loop's queue of late callouts, and
  /// those that wait for their stalls to end). Or `looks`: looks at held or busy threads that brought no stack.
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
