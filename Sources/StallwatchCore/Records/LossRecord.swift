/// Records that did not fit into a bounded buffer, or looks that brought nothing.
public struct LossRecord: Sendable {
  /// Which buffer: `spans` (a loop's queue of rare events), `records` (the writer's queue), `modes` (a loop's table of
  /// modes), `activations` (nesting deeper than the stack), `loops` (the table of loops), `samples` (those of one stall,
  /// or a profile's stacks between two flushes), `frames` (those of one stack), `ticks` (a loop's queue of the
  /// drift probe's). Or `looks`: at held or busy threads, which brought no stack.
  public var what: String
  /// The loop, where one is meant.
  public var loop: LoopID?
  /// How many since the last such record.
  public var count: UInt64

  /// A loss.
  public init(what: String, loop: LoopID?, count: UInt64) {
    self.what = what
    self.loop = loop
    self.count = count
  }
}
