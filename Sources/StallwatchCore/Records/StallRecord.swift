/// What kind of hold-up a stall is.
public enum StallKind: String, Sendable {
  /// One span of at least the threshold.
  case stall
  /// A busy run of at least the threshold in which no span is a stall.
  case congestion
  /// At least the threshold outside any run, while something was due on the loop.
  case away
}

/// Where a stall's life stands.
public enum StallState: String, Sendable {
  /// The threshold has passed; the loop is still held.
  case began
  /// The loop turned again.
  case ended
  /// It was no stall: the process was suspended, or the loop ran in a mode not yet observed.
  case cancelled
  /// The process died in it. A reader says so, and the next process that writes the store puts it down.
  case fatal
}

/// A stall became known. Written at once, so that a death in the middle leaves it behind.
public struct StallBegan: Sendable {
  /// Its number within the session.
  public var id: StallID
  /// The held loop.
  public var loop: LoopID
  /// The mode's place in the loop's table; of an away the mode that the thread left.
  public var mode: Int
  /// The phase it was seen in; of an away, which lies in none, ``Phase/waiting``: what was due would have ended a wait.
  public var phase: Phase
  /// How many runs of this loop were active, one inside the other: 1 is not nested, 0 outside any run.
  public var depth: Int
  /// Span, busy run or time outside any run.
  public var kind: StallKind
  /// When the span began, or the first span of a busy run; of an away, when the first thing was due, or when the thread
  /// left its loop if that was later. On the monotonic clock.
  public var startedNs: Nanoseconds
  /// When it became known, on the monotonic clock.
  public var detectedNs: Nanoseconds
  /// What the program said about itself at that moment (`screen = Settings`).
  public var annotations: [String: String]

  /// A stall that became known.
  public init(
    id: StallID, loop: LoopID, mode: Int, phase: Phase, depth: Int, kind: StallKind, startedNs: Nanoseconds,
    detectedNs: Nanoseconds, annotations: [String: String] = [:]
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
  }
}

/// A stall that had begun is over.
public struct StallEnded: Sendable {
  /// Its number within the session.
  public var id: StallID
  /// ``StallState/ended`` or ``StallState/cancelled``.
  public var state: StallState
  /// How long it lasted, less excluded time; of a busy run the sum of its spans. Exact, unless ``reason`` tells of a
  /// lost end.
  public var duration: Nanoseconds
  /// The phase that took the greater part of it.
  public var phase: Phase
  /// Why it was cancelled, or why its end is not the loop's own; of an away what was due. Nil for most stalls.
  public var reason: String?

  /// A stall that is over.
  public init(id: StallID, state: StallState, duration: Nanoseconds, phase: Phase, reason: String? = nil) {
    self.id = id
    self.state = state
    self.duration = duration
    self.phase = phase
    self.reason = reason
  }
}
