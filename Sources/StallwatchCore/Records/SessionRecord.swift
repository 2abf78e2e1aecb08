/// One watched process, from the start of the monitor to its stop or the process's death.
package struct SessionRecord: Sendable {
  /// The identity of the watched process.
  package var process: ProcessIdentity
  /// The command line, program first.
  package var command: [String]
  /// The wall clock at the start, in nanoseconds since 1970-01-01 UTC.
  package var startedAt: UInt64
  /// The monotonic clock at the same moment.
  package var startedNs: Nanoseconds
  /// The length from which a span is a stall; 1 ms or more.
  package var threshold: Nanoseconds
  /// How the monitor got into the process: `embedded`, `injected`, or what the embedding program calls it.
  package var origin: String
  /// Operating system and architecture, for example `linux x86_64`.
  package var platform: String
  /// What the program, or whoever ran it, says that it is.
  package var labels = SessionLabels()
  /// The build-id of the program's own file, as in ``ImageRecord``; nil: none, or not known.
  package var programBuildID: String?

  /// Sets the properties as given; checks nothing. Without labels and build-id.
  package init(
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

/// The identity of a process. A pid alone does not do: the system gives it to other processes later.
package struct ProcessIdentity: Hashable, Sendable {
  /// The process's number while it lives.
  package var pid: Int32
  /// When the process started, in the system's own unit: clock ticks since boot on Linux, microseconds since 1970 on
  /// Apple's systems.
  package var startTime: UInt64
  /// The identifier of the boot during which it ran.
  package var bootID: String
  /// The machine's name.
  package var host: String

  /// Sets every property as given; checks nothing.
  package init(pid: Int32, startTime: UInt64, bootID: String, host: String) {
    self.pid = pid
    self.startTime = startTime
    self.bootID = bootID
    self.host = host
  }
}
