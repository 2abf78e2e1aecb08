/// Time that no figure may silently cover.
public struct IntervalRecord: Sendable {
  /// Why the interval is kept apart.
  public enum Kind: String, Sendable {
    /// The process or the machine did not run: time charged to nobody.
    case excluded
    /// The loop ran and the monitor could not see what it did, for one because it ran in a mode not yet observed.
    case blind
  }

  /// Why it is kept apart.
  public var kind: Kind
  /// The loop, or nil for the whole process.
  public var loop: LoopID?
  /// From this moment on the monotonic clock …
  public var startedNs: Nanoseconds
  /// … to this one. A machine's sleep does not show in the monotonic clock: then `duration` is longer than the
  /// difference.
  public var endedNs: Nanoseconds
  /// How long it was.
  public var duration: Nanoseconds
  /// Why, in one of a few fixed words: `stopped` and `machine-sleep` are excluded, `new-mode` is blind.
  public var reason: String

  /// An interval.
  public init(
    kind: Kind, loop: LoopID?, startedNs: Nanoseconds, endedNs: Nanoseconds, duration: Nanoseconds, reason: String
  ) {
    self.kind = kind
    self.loop = loop
    self.startedNs = startedNs
    self.endedNs = endedNs
    self.duration = duration
    self.reason = reason
  }
}
