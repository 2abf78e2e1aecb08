/// One watched process, from the start of the monitor to its stop or the process's death.
public struct SessionRecord: Sendable {
  /// Which process.
  public var process: ProcessIdentity
  /// The command line, program first.
  public var command: [String]
  /// Wall clock at the start, in nanoseconds since 1970-01-01 UTC.
  public var startedAt: UInt64
  /// Monotonic clock at the start, the same moment.
  public var startedNs: Nanoseconds
  /// A span of at least this is a stall; 1 ms or more.
  public var threshold: Nanoseconds
  /// How the monitor got into the process: `embedded`, `injected`, or what the embedding program calls it.
  public var origin: String
  /// Operating system and architecture, for example `linux x86_64`.
  public var platform: String

  /// A session.
  public init(
    process: ProcessIdentity, command: [String], startedAt: UInt64, startedNs: Nanoseconds, threshold: Nanoseconds,
    origin: String, platform: String
  ) {
    self.process = process
    self.command = command
    self.startedAt = startedAt
    self.startedNs = startedNs
    self.threshold = threshold
    self.origin = origin
    self.platform = platform
  }
}
