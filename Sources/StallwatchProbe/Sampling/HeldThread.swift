import StallwatchCore

/// A thread that is or may be held, in a span or away from its loop. Used on the watchdog's thread.
struct HeldThread {
  let loop: LoopID
  let threadID: UInt64
  /// The address of its control block, by which its stack is found; 0: not known.
  let threadPointer: UInt64
  /// When the hold began.
  let startedNs: Nanoseconds
  /// Its stall; nil before the threshold.
  let stall: StallBegan?
  /// Whether the same hold still goes on.
  let goesOn: () -> Bool

  init(
    loop: LoopID, threadID: UInt64, threadPointer: UInt64, startedNs: Nanoseconds, stall: StallBegan?,
    goesOn: @escaping () -> Bool
  ) {
    (self.loop, self.threadID, self.threadPointer) = (loop, threadID, threadPointer)
    (self.startedNs, self.stall, self.goesOn) = (startedNs, stall, goesOn)
  }

  init(_ watched: WatchedLoop, startedNs: Nanoseconds, stall: StallBegan?, goesOn: @escaping () -> Bool) {
    loop = watched.id
    threadID = watched.memory.region.threadID
    threadPointer = watched.memory.region.threadPointer
    self.startedNs = startedNs
    self.stall = stall
    self.goesOn = goesOn
  }
}
