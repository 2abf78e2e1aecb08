import StallwatchCore

/// A sampled stall, with no more of it than a sum over causes needs: a report reads millions.
package struct BriefStall: Sendable {
  /// The stall's row.
  package var id: Int64
  /// The row of its session.
  package var session: Int64
  /// As in ``StoredStall/state``.
  package var state: StallState
  /// When it began, on the monotonic clock.
  package var startedNs: Nanoseconds
  /// As in ``StoredStall/duration``.
  package var duration: Nanoseconds
  /// How the watched time divides; nil where that is unknown.
  package var cause: StallCause?

  /// Sets every property as given; checks nothing.
  package init(
    id: Int64, session: Int64, state: StallState, startedNs: Nanoseconds, duration: Nanoseconds,
    cause: StallCause? = nil
  ) {
    self.id = id
    self.session = session
    self.state = state
    self.startedNs = startedNs
    self.duration = duration
    self.cause = cause
  }
}

/// One look at a held thread, with its stacks by their rows.
package struct BriefSample: Sendable {
  /// What tells one look from another, apart from its weight.
  package struct Look: Sendable, Hashable {
    /// What the thread did.
    package var activity: ThreadActivity
    /// The row of its stack.
    package var stack: Int64
    /// What it was blocked on; nil where unknown. Of a lock's owner, `frames` is empty: ``ownerStack`` has them.
    package var blockedOn: BlockedOn?
    /// The row of the stack of the lock's owner; nil without an owner.
    package var ownerStack: Int64?

    /// Sets every property as given; checks nothing.
    package init(activity: ThreadActivity, stack: Int64, blockedOn: BlockedOn? = nil, ownerStack: Int64? = nil) {
      self.activity = activity
      self.stack = stack
      self.blockedOn = blockedOn
      self.ownerStack = ownerStack
    }
  }

  package var look: Look
  /// The watched time that it stands for, in nanoseconds.
  package var weight: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(look: Look, weight: Nanoseconds) {
    self.look = look
    self.weight = weight
  }
}
