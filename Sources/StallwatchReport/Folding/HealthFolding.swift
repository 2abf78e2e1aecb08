import StallwatchCore
import StallwatchStore

/// Sums the health of sessions, one after the other.
package struct HealthFolding {
  private var report = HealthReport()
  private var lateness: StoredMetric?
  private var intervals: [IntervalSort: IntervalTotal] = [:]

  /// Without a session.
  package init() {}

  private struct IntervalSort: Hashable {
    var kind: IntervalRecord.Kind
    var reason: String
  }

  /// Adds the health of one session.
  package mutating func add(_ health: StoredHealth, session: StoredSession) {
    let part = Self.figures(health, watched: session.duration)
    report.sessions.append(
      SessionHealth(
        session: session.id, figures: part, trouble: health.trouble, signalObstacle: health.signalObstacle))
    report.figures.watched = report.figures.watched.saturatingAdd(part.watched)
    report.figures.losses.merge(part.losses) { $0.saturatingAdd($1) }
    for figure in [\HealthFigures.blind, \.excluded, \.observerTotal, \.monitorCPU, \.wakeups, \.driftWakeups] {
      report.figures[keyPath: figure] = Self.sum(report.figures[keyPath: figure], part[keyPath: figure])
    }
    lateness = StoredMetric(merging: [lateness, health.watchdogLateness].compactMap { $0 })
    for interval in health.intervals { add(interval) }
  }

  /// Adds what was removed from the store.
  mutating func add(_ removals: [Removed], sessions: [StoredSession]) {
    let records = Dictionary(sessions.map { ($0.id, $0.record) }, uniquingKeysWith: { first, _ in first })
    report.removed = removals.map { removed in
      let until = removed.until.flatMap { until in
        removed.session.flatMap { records[$0] }.map { $0.startedAt.saturatingAdd(until.since($0.startedNs)) }
      }
      return RemovedRows(
        session: removed.session, what: removed.what, reason: removed.reason, count: removed.count, until: until)
    }
  }

  /// The sum over all sessions added.
  package func folded() -> HealthReport {
    var report = report
    report.figures.watchdogLateness = lateness.map { DurationSummary($0) }
    report.intervals = intervals.values.sorted { ($0.total, $1.reason) > ($1.total, $0.reason) }
    return report
  }

  /// A monitor that reported its cost has used CPU time. A stored 0 means that the process died before the first
  /// report, so the cost is unknown.
  private static func figures(_ health: StoredHealth, watched: Nanoseconds) -> HealthFigures {
    let isKnown = health.monitorCPU > 0
    let sum = { (kind: IntervalRecord.Kind) in
      health.intervals.lazy.filter { $0.kind == kind }.map(\.duration).saturatingSum()
    }
    return HealthFigures(
      watched: watched,
      losses: health.losses,
      blind: sum(.blind),
      excluded: sum(.excluded),
      // Observers that were called took time: the probe stores 0 until its first sample.
      observerTotal: isKnown && health.observerTotal > 0 ? health.observerTotal : nil,
      monitorCPU: isKnown ? health.monitorCPU : nil,
      watchdogLateness: health.watchdogLateness.map { DurationSummary($0) },
      wakeups: isKnown ? health.wakeups : nil,
      driftWakeups: isKnown ? health.driftWakeups : nil)
  }

  /// The sum of the known values; nil where both are unknown.
  private static func sum(_ left: UInt64?, _ right: UInt64?) -> UInt64? {
    guard let left, let right else { return left ?? right }
    return left.saturatingAdd(right)
  }

  private mutating func add(_ interval: IntervalRecord) {
    let sort = IntervalSort(kind: interval.kind, reason: interval.reason)
    var total =
      intervals[sort] ?? IntervalTotal(kind: interval.kind, reason: interval.reason, count: 0, total: 0, longest: 0)
    total.count += 1
    total.total = total.total.saturatingAdd(interval.duration)
    total.longest = max(total.longest, interval.duration)
    intervals[sort] = total
  }
}
