import StallwatchCore
import StallwatchStore

/// The hours of the wall clock in a session, whose moments are of the monotonic clock. Hours are counted from 1970.
struct HourGrid {
  private let session: StoredSession
  /// An hour, in nanoseconds.
  static let length: Nanoseconds = 3_600 * .second
  /// Over how many hours a window is spread at most: over a year. A store may say anything.
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

  /// Calls `body` for every hour in which a part of the window lies, with that part: parts add up to the window.
  func spread(_ window: StoredWindow, _ body: (_ hour: UInt64, _ part: StoredWindow) -> Void) {
    let end = window.startedNs.saturatingAdd(max(window.length, 1))
    let first = hour(of: window.startedNs)
    let last = min(hour(of: end - 1), first.saturatingAdd(Self.mostHours))
    guard first < last else { return body(first, window.before(end)) }
    var told = window.before(window.startedNs)
    for hour in first...last {
      let until = hour == last ? window.before(end) : window.before(self.end(of: hour))
      var part = until
      part.startedNs = window.startedNs.saturatingAdd(told.length)
      part.length = until.length.since(told.length)
      part.busy = until.busy.since(told.busy)
      part.waiting = until.waiting.since(told.waiting)
      part.outside = until.outside.since(told.outside)
      part.iterations = until.iterations.since(told.iterations)
      body(hour, part)
      told = until
    }
  }
}

extension UInt32 {
  /// The start of an hour that is counted from 1970, in seconds since then.
  init(startOfHour hour: UInt64) { self = UInt32(clamping: hour.saturatingMultiply(by: 3_600)) }
}
