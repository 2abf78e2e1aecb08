import StallwatchCore
import StallwatchStore

/// By how much the figures of a lane in one hour grew from one reading of its store to the next.
///
/// OpenTelemetry's deltas add up, while rows hold sums: a growth that is sent twice counts twice. `ship` sends each one
/// once, unless it cannot know whether the collector took it.
package struct ActivityGrowth: Sendable {
  /// The hour as it is now.
  package var row: ActivityRow
  /// When the growth began, nanoseconds since 1970: at the previous reading, or at the start of the hour.
  package var since: UInt64
  package var watched: Nanoseconds
  package var busy: Nanoseconds
  package var iterations: UInt64
  package var stalls: UInt64
  package var hangs: UInt64
  package var stalled: Nanoseconds
  package var spans: DurationHistogram
  package var delays: DurationHistogram

  /// The growth from `before`, an earlier row of the same hour, or from nothing. Nil where there is none.
  package init?(from before: ActivityRow?, to row: ActivityRow) {
    self.row = row
    since = before?.version ?? UInt64(row.hour) * Nanoseconds.second
    watched = row.watched.since(before?.watched ?? 0)
    busy = row.busy.since(before?.busy ?? 0)
    iterations = row.iterations.since(before?.iterations ?? 0)
    stalls = row.stalls.since(before?.stalls ?? 0)
    hangs = row.hangs.since(before?.hangs ?? 0)
    stalled = row.stalled.since(before?.stalled ?? 0)
    spans = row.spans.grown(from: before?.spans)
    delays = row.delays.grown(from: before?.delays)
    if watched == 0, iterations == 0, stalls == 0, spans.totalCount == 0, delays.totalCount == 0 { return nil }
  }
}

extension DurationHistogram {
  /// This histogram less `before`.
  fileprivate func grown(from before: DurationHistogram?) -> DurationHistogram {
    guard let before, before.totalCount > 0 else { return self }
    var growth = DurationHistogram()
    for bucket in buckets {
      let earlier = before.count(at: bucket.index)
      guard bucket.count > earlier else { continue }
      growth.record(HistogramLayout.lowestDuration(at: bucket.index), count: bucket.count - earlier)
    }
    return growth
  }
}
