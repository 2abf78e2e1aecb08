/// What a board shows of the drift probe.
extension LoopBoard {
  /// How many modes the probe can be told of: one bit each.
  public static let maximumDriftModes = 64

  /// When the tick is due that the loop serves next; the end of time with the probe off.
  public var tickDue: Nanoseconds { ~words.acquire(Word.tickDue) }
  /// Sets it. The loop's thread, or whoever makes the board serve a loop.
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
