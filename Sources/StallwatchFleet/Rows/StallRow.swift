import StallwatchCore

/// One stall that is over.
package struct StallRow: FleetRow {
  package var origin: RowOrigin
  /// When it began: seconds since 1970, by which the table is partitioned, and nanoseconds.
  package var at: UInt32
  package var started: UInt64
  /// Its number in its session, by which `show` finds it in a copy of the store.
  package var number: UInt64
  /// As in ``ActivityRow``.
  package var lane: UInt32
  package var laneName: String
  /// `stall` or `congestion`.
  package var kind: String
  /// `ended`, `fatal` or `cancelled`.
  package var state: String
  /// `brief` to `severe`.
  package var severity: String
  package var mode: String
  package var phase: String
  package var duration: Nanoseconds
  /// How the watched time divides by what the thread did; all 0 where the stall was not sampled.
  package var running: Nanoseconds = 0
  package var blocked: Nanoseconds = 0
  package var starved: Nanoseconds = 0
  /// The key of its signature; empty without one.
  package var signature: String = ""
  /// The system call and what it waited for, such as a file; each empty where the thread did not wait, or where it must
  /// not leave the machine.
  package var call: String = ""
  package var target: String = ""
  /// The program's annotations, as names and values; empty where they must not leave the machine.
  package var annotations: [(name: String, value: String)] = []
  /// When the store was read, nanoseconds since 1970.
  package var version: UInt64

  package init(
    origin: RowOrigin, started: UInt64, number: UInt64, lane: UInt32, laneName: String, kind: String, state: String,
    severity: String, mode: String, phase: String, duration: Nanoseconds, version: UInt64
  ) {
    self.origin = origin
    at = UInt32(clamping: started / Nanoseconds.second)
    self.started = started
    self.number = number
    self.lane = lane
    self.laneName = laneName
    self.kind = kind
    self.state = state
    self.severity = severity
    self.mode = mode
    self.phase = phase
    self.duration = duration
    self.version = version
  }

  package static let table = "stalls"
  package static let columns =
    RowOrigin.columns + [
      "at", "started_ns", "number", "lane", "lane_name", "kind", "state", "severity", "mode", "phase", "duration_ns",
      "running_ns", "blocked_ns", "starved_ns", "signature", "call", "target", "annotation.name", "annotation.value",
      "version",
    ]

  package func encode(into encoder: inout RowEncoder) {
    origin.encode(into: &encoder)
    encoder.put(at)
    encoder.put(started)
    encoder.put(number)
    encoder.put(lane)
    encoder.put(laneName)
    encoder.put(kind)
    encoder.put(state)
    encoder.put(severity)
    encoder.put(mode)
    encoder.put(phase)
    encoder.put(duration)
    encoder.put(running)
    encoder.put(blocked)
    encoder.put(starved)
    encoder.put(signature)
    encoder.put(call)
    encoder.put(target)
    encoder.put(annotations.map(\.name))
    encoder.put(annotations.map(\.value))
    encoder.put(version)
  }
}
