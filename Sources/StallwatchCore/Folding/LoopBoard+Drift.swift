/// What a board shows of the drift probe.
extension LoopBoard {
  /// How many modes the probe can be told of: one bit each.
  public static let maximumDriftModes = 64

  /// When the tick is due that the loop serves next; the end of time with the probe off, and before the loop's ticks begin.
  public var tickDue: Nanoseconds { ~words.acquire(Word.tickDue) }
  /// Makes the loop serve ticks, of which the first is the next of a grid after a moment. Once; whoever begins them, after
  /// ``setDriftModes(_:)``: until then the loop's thread asks for the due time and sets none.
  public func beginTicks(of grid: DueGrid, after moment: Nanoseconds) { setTick(grid.due(grid.count(until: moment))) }
  /// Sets the next tick. The loop's thread, once its ticks have begun.
  func setTick(_ due: Nanoseconds) { words.release(Word.tickDue, ~due) }
  /// Whether it is due: all that an activity asks.
  @inline(__always)
  func isTickDue(at now: Nanoseconds) -> Bool { now >= ~words.load(Word.tickDue) }

  /// Whether the probe is in a mode, by its place in the loop's table: a timer of the probe's would fire there.
  public func isInDrift(mode: Int) -> Bool {
    mode < Self.maximumDriftModes && words.load(Word.driftModes) >> UInt64(mode) & 1 != 0
  }
  /// Tells in which modes the probe is. Any thread, one at a time.
  public func setDriftModes(_ modes: [Int]) {
    var bits: UInt64 = 0
    for mode in modes where mode < Self.maximumDriftModes { bits |= 1 << UInt64(mode) }
    words.store(Word.driftModes, bits)
  }
}
