import StallwatchCore

/// Reads the clocks of the thread that holds a lane; where several do, as in a pool, of each in its turn.
struct HeldClocks {
  /// The thread whose turn it is.
  private(set) var threadID: UInt64
  private var clocks: ThreadClocks
  /// What its clocks showed last.
  private var last: ThreadTimes?
  private var others: [UInt64: (clocks: ThreadClocks, last: ThreadTimes?)] = [:]
  /// What the clocks of all of them show together: with several threads, the mean of their growth.
  private var together: ThreadTimes?

  init(ofThread threadID: UInt64) {
    self.threadID = threadID
    clocks = ThreadClocks(ofThread: threadID)
  }

  /// The threads whose turn it was before.
  var otherThreads: [UInt64] { Array(others.keys) }

  /// Whether it has been a thread's turn.
  func knows(_ thread: UInt64) -> Bool { thread == threadID || others[thread] != nil }

  /// Turns to a thread. Returns false if it has the turn already.
  mutating func turn(to other: UInt64) -> Bool {
    guard other != threadID else { return false }
    others[threadID] = (clocks, last)
    let known = others.removeValue(forKey: other)
    (threadID, clocks, last) = (other, known?.clocks ?? ThreadClocks(ofThread: other), known?.last)
    return true
  }

  /// The clocks as ``ThreadClocks/read(_:mayWait:runDelay:)`` gives them, of all threads together. Only the run delay of
  /// one thread alone may wait: with several, nobody comes back to the one whose turn is over.
  mutating func read(_ reading: ThreadReading?, runDelay: () -> Nanoseconds?) -> ThreadTimes? {
    guard let times = clocks.read(reading, mayWait: others.isEmpty, runDelay: runDelay) else { return nil }
    defer { last = times }
    guard var sum = together else {
      together = times
      return times
    }
    sum.atNs = max(sum.atNs, times.atNs)
    if let last {
      let threads = Nanoseconds(others.count + 1)
      sum.cpu += times.cpu.since(last.cpu) / threads
      sum.runDelay += times.runDelay.since(last.runDelay) / threads
    }
    together = sum
    return sum
  }

  /// The run delay at the last reading as ``ThreadClocks/settledRunDelay(_:)`` gives it; nil with several threads.
  mutating func settledRunDelay(_ runDelay: () -> Nanoseconds?) -> Nanoseconds? {
    others.isEmpty ? clocks.settledRunDelay(runDelay) : nil
  }
}
