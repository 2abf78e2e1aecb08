import StallwatchCore
import StallwatchStore

/// The hours of the wall clock in a session, whose times are those of the monotonic clock. Hours are counted from 1970.
struct HourGrid {
  private let session: StoredSession
  /// An hour, in nanoseconds.
  static let length: Nanoseconds = 3_600 * .second
  /// The most hours that a window is spread over, more than a year: a damaged store may contain any number.
  private static let mostHours: UInt64 = 10_000

  init(_ session: StoredSession) { self.session = session }

  /// The hour in which a moment lies.
  func hour(of moment: Nanoseconds) -> UInt64 { session.wallClock(at: moment) / Self.length }

  /// The end of an hour, on the monotonic clock.
  func end(of hour: UInt64) -> Nanoseconds { start(of: hour.saturatingAdd(1)) }

  /// The start of an hour, on the monotonic clock; 0 where the clock began later.
  func start(of hour: UInt64) -> Nanoseconds {
    let (wall, record) = (hour.saturatingMultiply(by: Self.length), session.record)
    return wall >= record.startedAt
      ? record.startedNs.saturatingAdd(wall - record.startedAt) : record.startedNs.since(record.startedAt - wall)
  }

  /// Divides a window at the hours and calls `body` with each part. The parts add up to the window.
  func spread(_ window: StoredWindow, _ body: (_ hour: UInt64, _ part: StoredWindow) -> Void) {
    let end = window.startedNs.saturatingAdd(max(window.length, 1))
    let first = hour(of: window.startedNs)
    let last = min(hour(of: end - 1), first.saturatingAdd(Self.mostHours))
    guard first < last else { return body(first, window.before(end)) }
    var passed = window.before(window.startedNs)
    for hour in first...last {
      let until = hour == last ? window.before(end) : window.before(self.end(of: hour))
      var part = until
      part.startedNs = window.startedNs.saturatingAdd(passed.length)
      part.length = until.length.since(passed.length)
      part.busy = until.busy.since(passed.busy)
      part.waiting = until.waiting.since(passed.waiting)
      part.outside = until.outside.since(passed.outside)
      part.iterations = until.iterations.since(passed.iterations)
      body(hour, part)
      passed = until
    }
  }
}

extension UInt32 {
  /// The start of an hour that is counted from 1970, in seconds since then.
  init(startOfHour hour: UInt64) { self = UInt32(clamping: hour.saturatingMultiply(by: 3_600)) }
}
