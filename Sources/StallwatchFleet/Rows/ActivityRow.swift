import StallwatchCore
import StallwatchStore

/// The figures of a lane in one hour of the wall clock, with the stalls that began in it by their cause.
///
/// Causes are part of the row, so that a later row of the same hour replaces all of them. Stalls may have got another
/// cause since, where names became known.
package struct ActivityRow: FleetRow {
  /// The stalls of one cause. Causes that are the same bug are still separate here; readers merge them.
  package struct Cause: Sendable, Equatable {
    /// The signature's key.
    package var signature: String
    package var stalls: UInt64
    package var total: Nanoseconds
    package var worst: Nanoseconds
    /// Wall clock, nanoseconds since 1970: when the first and the last of them began.
    package var first: UInt64
    package var last: UInt64

    package init(
      signature: String, stalls: UInt64, total: Nanoseconds, worst: Nanoseconds, first: UInt64, last: UInt64
    ) {
      self.signature = signature
      self.stalls = stalls
      self.total = total
      self.worst = worst
      self.first = first
      self.last = last
    }
  }

  package var origin: RowOrigin
  /// The hour's start, seconds since 1970.
  package var hour: UInt32
  /// The lane's number in its session.
  package var lane: UInt32
  /// Its name, such as `main`.
  package var laneName: String
  /// Its kind, by the store's words: `run loop`, `queue` …
  package var laneKind: String
  /// Whether it is the main thread's: 1 or 0.
  package var isMain: UInt8
  /// For how long it was watched in this hour: busy, waiting or, for the main loop, away while work was due.
  package var watched: Nanoseconds
  /// For how long of that it was busy.
  package var busy: Nanoseconds = 0
  package var iterations: UInt64 = 0
  /// Stalls that began in the hour and were not cancelled, congestion among them, and their time.
  package var stalls: UInt64 = 0
  package var stalled: Nanoseconds = 0
  /// The number and time of hangs, which count in the hang rate: spans of 250 ms or more, and such aways of the main
  /// loop.
  package var hangs: UInt64 = 0
  package var hang: Nanoseconds = 0
  /// The longest of them.
  package var worst: Nanoseconds = 0
  /// How many stalls of the hour have no cause: without a sample, or with unreadable stacks.
  package var unattributed: UInt64 = 0
  /// Spans that ended in the hour; items on other lanes than run loops. A store keeps them in windows of a minute at
  /// first, and of up to an hour a week later: a window counts in the hour in which it ended.
  package var spans = DurationHistogram()
  /// How long items waited; empty on run loops.
  package var delays = DurationHistogram()
  /// By key, in ascending order.
  package var causes: [Cause] = []
  /// When the store was read, nanoseconds since 1970: the row with the highest version counts.
  package var version: UInt64

  /// A lane that did nothing.
  package init(
    origin: RowOrigin, hour: UInt32, lane: UInt32, laneName: String, laneKind: String, isMain: Bool,
    watched: Nanoseconds, version: UInt64
  ) {
    self.origin = origin
    self.hour = hour
    self.lane = lane
    self.laneName = laneName
    self.laneKind = laneKind
    self.isMain = isMain ? 1 : 0
    self.watched = watched
    self.version = version
  }

  package static let table = "activity"
  package static let columns =
    RowOrigin.columns + [
      "hour", "lane", "lane_name", "lane_kind", "is_main", "watched_ns", "busy_ns", "iterations", "stalls",
      "stalled_ns", "hangs", "hang_ns", "worst_ns", "unattributed", "span.bucket", "span.count", "delay.bucket",
      "delay.count",
      "cause.signature", "cause.stalls", "cause.total_ns", "cause.worst_ns", "cause.first_ns", "cause.last_ns",
      "version",
    ]

  package func encode(into encoder: inout RowEncoder) {
    origin.encode(into: &encoder)
    encoder.put(hour)
    encoder.put(lane)
    encoder.put(laneName)
    encoder.put(laneKind)
    encoder.put(isMain)
    encoder.put(watched)
    encoder.put(busy)
    encoder.put(iterations)
    encoder.put(stalls)
    encoder.put(stalled)
    encoder.put(hangs)
    encoder.put(hang)
    encoder.put(worst)
    encoder.put(unattributed)
    encoder.put(spans)
    encoder.put(delays)
    encoder.put(causes.map(\.signature))
    encoder.put(causes.map(\.stalls))
    encoder.put(causes.map(\.total))
    encoder.put(causes.map(\.worst))
    encoder.put(causes.map(\.first))
    encoder.put(causes.map(\.last))
    encoder.put(version)
  }
}
