import StallwatchCore

/// A stall in a store.
package struct StoredStall: Sendable {
  /// The stall's row, unique in the store: the ID that `show` takes.
  package var id: Int64
  /// The row of its session.
  package var session: Int64
  /// The row of its loop.
  package var loop: Int64
  /// The mode's name.
  package var mode: String
  /// What was known when it began. Its `id`, `loop` and `mode` are numbers within the session, not rows.
  package var began: StallBegan
  /// Its state: ``StallState/fatal`` if the process died in it, ``StallState/began`` while it goes on.
  package var state: StallState
  /// Its length in nanoseconds: exact when it ended; up to the last sign of life when fatal or still going on.
  package var duration: Nanoseconds
  /// Why it was cancelled, or why its end is not the loop's own; for an away, what was due. Otherwise nil.
  package var reason: String?
  /// How the watched time divides; nil where nobody watched it or the system reported nothing.
  package var cause: StallCause?

  /// The severity of ``duration``.
  package var severity: Severity { Severity(duration: duration) }
  /// The time from the stall's start to the moment at which it became known.
  package var detectedAfter: Nanoseconds { began.detectedNs.since(began.startedNs) }

  /// Sets every property as given; checks nothing.
  package init(
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
