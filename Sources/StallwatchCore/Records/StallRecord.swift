/// The three ways in which a loop is held up.
package enum StallKind: String, Sendable {
  /// One span of at least the threshold.
  case stall
  /// A busy run of at least the threshold in which no span is a stall.
  case congestion
  /// At least the threshold outside any run, while work was due on the loop.
  case away
}

/// The state of a stall.
package enum StallState: String, Sendable {
  /// The threshold has passed; the loop is still held.
  case began
  /// It is over: the loop turned again, an away ended, or watching stopped.
  case ended
  /// It proved false: the process was suspended, the loop ran in a mode not yet observed, or an away thread ended.
  case cancelled
  /// The process died in it. A reader shows it so; the next process that writes to the store records it.
  case fatal
}

/// A stall became known. The writer stores it at once, so that it survives a death of the process.
package struct StallBegan: Sendable {
  /// Its number within the session.
  package var id: StallID
  /// The loop that is held.
  package var loop: LoopID
  /// The mode's place in the loop's table; for an away, the mode that the thread left.
  package var mode: Int
  /// The phase it was seen in; for an away, which lies in none, ``Phase/waiting``: due work would have ended a wait.
  package var phase: Phase
  /// How many runs of this loop were active, one inside the other: 1 is not nested, 0 is outside any run.
  package var depth: Int
  /// Whether it is a span, a busy run or an away.
  package var kind: StallKind
  /// When the span, or the busy run's first span, began; for an away, when the first work was due, or when the thread
  /// left its loop if that was later. On the monotonic clock.
  package var startedNs: Nanoseconds
  /// When it became known, on the monotonic clock.
  package var detectedNs: Nanoseconds
  /// What the program reported of itself at that moment (`screen = Settings`).
  package var annotations: [String: String]
  /// Of a lane whose stalls are waits, the code that the item which waited first is to run: an address in the process. Nil
  /// where that is not known.
  package var waiter: UInt64?

  /// Sets every property as given; checks nothing.
  package init(
    id: StallID, loop: LoopID, mode: Int, phase: Phase, depth: Int, kind: StallKind, startedNs: Nanoseconds,
    detectedNs: Nanoseconds, annotations: [String: String] = [:], waiter: UInt64? = nil
  ) {
    self.id = id
    self.loop = loop
    self.mode = mode
    self.phase = phase
    self.depth = depth
    self.kind = kind
    self.startedNs = startedNs
    self.detectedNs = detectedNs
    self.annotations = annotations
    self.waiter = waiter
  }
}

/// The end of a stall that had begun.
package struct StallEnded: Sendable {
  /// The stall's number within the session.
  package var id: StallID
  /// ``StallState/ended`` or ``StallState/cancelled``.
  package var state: StallState
  /// How long it lasted, less excluded time; for a busy run the sum of its spans. Exact, unless ``reason`` reports a
  /// lost end.
  package var duration: Nanoseconds
  /// The phase that took the greater part of the stall.
  package var phase: Phase
  /// Why it was cancelled, or why its end is not the loop's own; for an away, what was due; ``freeThreads``. Nil for most
  /// stalls.
  package var reason: String?

  /// The reason of a pool's stall in which threads were free, so that the item waited for something else, such as a barrier.
  package static let freeThreads = "threads were free"

  /// Sets every property as given; checks nothing.
  package init(id: StallID, state: StallState, duration: Nanoseconds, phase: Phase, reason: String? = nil) {
    self.id = id
    self.state = state
    self.duration = duration
    self.phase = phase
    self.reason = reason
  }
}
