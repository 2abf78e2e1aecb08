import StallwatchCore
import StallwatchStore

/// A session so far: how long it was watched, how it ended, what its monitor cost, and what is missing.
package struct SessionRow: FleetRow {
  package var origin: RowOrigin
  /// When it began: seconds since 1970, by which the table is partitioned, and nanoseconds.
  package var at: UInt32
  package var started: UInt64
  /// From its start to the last sign of life.
  package var duration: Nanoseconds
  /// `clean`, `killed` or `running`.
  package var ended: String
  /// −1 where unknown.
  package var exitStatus: Int32
  package var threshold: Nanoseconds
  package var platform: String
  /// Empty where they must not leave the machine.
  package var host: String
  package var command: [String]
  package var tags: [(name: String, value: String)]
  /// The figures of health in reports.
  package var unobserved: Nanoseconds = 0
  package var excluded: Nanoseconds = 0
  package var observerTime: Nanoseconds = 0
  package var monitorCPU: Nanoseconds = 0
  package var wakeups: UInt64 = 0
  /// How late the ticks of the drift probe came by the run loop, and by Dispatch.
  package var loopLateness = DurationHistogram()
  package var dispatchLateness = DurationHistogram()
  /// How many records are missing, by kind. Names of what `ship` had to leave out begin with `ship `.
  package var losses: [(what: String, count: UInt64)] = []
  package var version: UInt64

  package init(
    origin: RowOrigin, started: UInt64, duration: Nanoseconds, ended: String, exitStatus: Int32?,
    threshold: Nanoseconds, platform: String, host: String = "", command: [String] = [],
    tags: [(name: String, value: String)] = [], version: UInt64
  ) {
    self.origin = origin
    at = UInt32(clamping: started / Nanoseconds.second)
    self.started = started
    self.duration = duration
    self.ended = ended
    self.exitStatus = exitStatus ?? -1
    self.threshold = threshold
    self.platform = platform
    self.host = host
    self.command = command
    self.tags = tags
    self.version = version
  }

  package static let table = "sessions"
  package static let columns =
    RowOrigin.columns + [
      "at", "started_ns", "duration_ns", "ended", "exit_status", "threshold_ns", "platform", "host", "command",
      "tag.name", "tag.value", "unobserved_ns", "excluded_ns", "observer_ns", "monitor_cpu_ns", "wakeups",
      "loop_lateness.bucket", "loop_lateness.count", "dispatch_lateness.bucket", "dispatch_lateness.count",
      "loss.what", "loss.count", "version",
    ]

  package func encode(into encoder: inout RowEncoder) {
    origin.encode(into: &encoder)
    encoder.put(at)
    encoder.put(started)
    encoder.put(duration)
    encoder.put(ended)
    encoder.put(exitStatus)
    encoder.put(threshold)
    encoder.put(platform)
    encoder.put(host)
    encoder.put(command)
    encoder.put(tags.map(\.name))
    encoder.put(tags.map(\.value))
    encoder.put(unobserved)
    encoder.put(excluded)
    encoder.put(observerTime)
    encoder.put(monitorCPU)
    encoder.put(wakeups)
    encoder.put(loopLateness)
    encoder.put(dispatchLateness)
    encoder.put(losses.map(\.what))
    encoder.put(losses.map(\.count))
    encoder.put(version)
  }
}
