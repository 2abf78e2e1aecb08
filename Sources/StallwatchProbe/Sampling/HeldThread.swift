import StallwatchCore

/// A thread that is held, or may be: in a span, or away from its loop.
struct HeldThread {
  let loop: LoopID
  let threadID: UInt64
  /// Where its stack is known to lie by; 0: not known.
  let threadPointer: UInt64
  /// Since when.
  let startedNs: Nanoseconds
  /// Its stall; nil before the threshold.
  let stall: StallBegan?
  /// Whether it is still the same hold.
  let goesOn: () -> Bool

  init(_ watched: WatchedLoop, startedNs: Nanoseconds, stall: StallBegan?, goesOn: @escaping () -> Bool) {
    loop = watched.id
    threadID = watched.memory.board.threadID
    threadPointer = watched.memory.board.threadPointer
    self.startedNs = startedNs
    self.stall = stall
    self.goesOn = goesOn
  }
}
