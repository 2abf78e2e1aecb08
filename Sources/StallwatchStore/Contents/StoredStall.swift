import StallwatchCore

/// A stall as a store holds it.
public struct StoredStall: Sendable {
  /// Its row, unique in the store: the ID that `show` takes.
  public var id: Int64
  /// Its session's row.
  public var session: Int64
  /// Its loop's row.
  public var loop: Int64
  /// The mode's name.
  public var mode: String
  /// What was known when it began; `began.id`, `.loop` and `.mode` are numbers within the session.
  public var began: StallBegan
  /// Where its life stands; ``StallState/fatal`` where the process died in it, ``StallState/began`` while it goes on.
  public var state: StallState
  /// Exact when ended; until the last sign of life when fatal or still going on.
  public var duration: Nanoseconds
  /// Why it was cancelled.
  public var reason: String?
  /// How the time that was watched divides; nil where it was not watched or the system did not tell.
  public var cause: StallCause?

  /// How bad it is.
  public var severity: Severity { Severity(duration: duration) }
  /// From the start of the span to the moment at which the stall was known.
  public var detectedAfter: Nanoseconds { began.detectedNs.since(began.startedNs) }

  /// A stored stall.
  public init(
    id: Int64, session: Int64, loop: Int64, mode: String, began: StallBegan, state: StallState, duration: Nanoseconds,
    reason: String?, cause: StallCause? = nil
  ) {
    self.id = id
    self.session = session
    self.loop = loop
    self.mode = mode
    self.began = began
    self.state = state
    self.duration = duration
    self.reason = reason
    self.cause = cause
  }
}
