import StallwatchCore
import StallwatchStore

/// The timers of one name on one lane of a session, so far.
package struct TimerRow: FleetRow {
  package var origin: RowOrigin
  /// When the session began, seconds since 1970, by which the table is partitioned.
  package var at: UInt32
  package var laneName: String
  package var timer: String
  package var due: UInt64 = 0
  package var fired: UInt64 = 0
  package var dropped: UInt64 = 0
  package var lateness = DurationHistogram()
  package var version: UInt64

  package init(origin: RowOrigin, at: UInt32, laneName: String, timer: String, version: UInt64) {
    self.origin = origin
    self.at = at
    self.laneName = laneName
    self.timer = timer
    self.version = version
  }

  package static let table = "timers"
  package static let columns =
    RowOrigin.columns + [
      "at", "lane_name", "timer", "due", "fired", "dropped", "lateness.bucket", "lateness.count", "version",
    ]

  package func encode(into encoder: inout RowEncoder) {
    origin.encode(into: &encoder)
    encoder.put(at)
    encoder.put(laneName)
    encoder.put(timer)
    encoder.put(due)
    encoder.put(fired)
    encoder.put(dropped)
    encoder.put(lateness)
    encoder.put(version)
  }
}
