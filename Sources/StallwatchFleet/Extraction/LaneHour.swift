import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The figures of a lane in one hour, while they are added up.
struct LaneHour {
  private var busy: Nanoseconds = 0
  private var waiting: Nanoseconds = 0
  private var away: Nanoseconds = 0
  private var iterations: UInt64 = 0
  private var spans: StoredMetric?
  private var delays = DurationHistogram()
  private var stalls: UInt64 = 0
  private var stalled: Nanoseconds = 0
  private var hangs: UInt64 = 0
  private var hang: Nanoseconds = 0
  /// Of these, aways.
  private var awayHangs: UInt64 = 0
  private var awayHang: Nanoseconds = 0
  private var worst: Nanoseconds = 0
  private var unattributed: UInt64 = 0
  private var causes: [String: ActivityRow.Cause] = [:]

  /// Adds a part of a window of time.
  mutating func add(_ part: StoredWindow) {
    busy = busy.saturatingAdd(part.busy)
    waiting = waiting.saturatingAdd(part.waiting)
    iterations = iterations.saturatingAdd(part.iterations)
  }

  /// Adds time of an away of the main loop: others waited for it, so it was watched.
  mutating func add(away: Nanoseconds) { self.away = self.away.saturatingAdd(away) }

  /// Adds a window of spans, or of waits of items.
  mutating func add(_ window: StoredMetricWindow) {
    if window.metric == .span {
      spans = StoredMetric(merging: [spans, window.samples].compactMap(\.self))
    } else {
      delays.add(window.samples.histogram)
    }
  }

  /// Adds a stall that began at `at`, nanoseconds since 1970, with its signature's key; nil without one.
  mutating func add(_ stall: StoredStall, at: UInt64, isMain: Bool, signature: String?) {
    stalls = stalls.saturatingAdd(1)
    stalled = stalled.saturatingAdd(stall.duration)
    worst = max(worst, stall.duration)
    if stall.countsAsHang(isMain: isMain) {
      hangs = hangs.saturatingAdd(1)
      hang = hang.saturatingAdd(stall.duration)
      if stall.began.kind == .away {
        awayHangs = awayHangs.saturatingAdd(1)
        awayHang = awayHang.saturatingAdd(stall.duration)
      }
    }
    guard let signature else {
      unattributed = unattributed.saturatingAdd(1)
      return
    }
    let new = ActivityRow.Cause(
      signature: signature, stalls: 0, total: 0, worst: 0, first: at, last: at)
    causes[signature, default: new].add(stall.duration, at: at)
  }

  /// The row of it.
  func row(
    _ origin: RowOrigin, hour: UInt64, lane: LoopRecord, threshold: Nanoseconds, version: UInt64
  ) -> ActivityRow {
    var row = ActivityRow(
      origin: origin, hour: UInt32(startOfHour: hour), lane: lane.id.rawValue, laneName: lane.name,
      laneKind: lane.kind.rawValue, isMain: lane.isMain, watched: [busy, waiting, away].saturatingSum(),
      version: version)
    (row.busy, row.iterations) = (busy, iterations)
    (row.stalls, row.stalled, row.worst, row.unattributed) = (stalls, stalled, worst, unattributed)
    (row.hangs, row.hang) = (hangs, hang)
    if threshold > Severity.microhang.minimum, !lane.kind.isOfItems {
      // Hangs below the threshold were no stalls, but they are among the spans.
      row.hangs = (spans?.sum(from: Severity.microhang.minimum) { _ in 1 } ?? 0).saturatingAdd(awayHangs)
      row.hang = (spans?.sum(from: Severity.microhang.minimum) { $0 } ?? 0).saturatingAdd(awayHang)
    }
    row.spans = spans?.histogram ?? DurationHistogram()
    row.delays = delays
    row.causes = causes.values.sorted { $0.signature < $1.signature }
    return row
  }
}

extension ActivityRow.Cause {
  /// Adds a stall that began at `at`.
  fileprivate mutating func add(_ duration: Nanoseconds, at: UInt64) {
    stalls = stalls.saturatingAdd(1)
    total = total.saturatingAdd(duration)
    worst = max(worst, duration)
    (first, last) = (min(first, at), max(last, at))
  }
}

extension StoredStall {
  /// Whether it counts in the hang rate of its lane, as `HangRate` has it: spans, and aways of the main loop.
  fileprivate func countsAsHang(isMain: Bool) -> Bool {
    guard severity >= .microhang else { return false }
    return began.kind == .stall || began.kind == .away && isMain
  }
}
