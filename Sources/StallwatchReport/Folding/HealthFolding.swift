import StallwatchCore
import StallwatchStore

/// Adds up the health of sessions, one after the other.
struct HealthFolding {
  private var report = HealthReport()
  private var lateness: StoredMetric?
  private var intervals: [IntervalSort: IntervalTotal] = [:]

  private struct IntervalSort: Hashable {
    var kind: IntervalRecord.Kind
    var reason: String
  }

  /// Adds the health of `session`.
  mutating func add(_ health: StoredHealth, session: Int64) {
    let sum = { (kind: IntervalRecord.Kind) in
      health.intervals.reduce(0) { $1.kind == kind ? $0 + $1.duration : $0 }
    }
    let part = SessionHealth(
      session: session,
      losses: health.losses,
      blind: sum(.blind),
      excluded: sum(.excluded),
      observerTotal: health.observerTotal,
      monitorCPU: health.monitorCPU,
      watchdogLateness: health.watchdogLateness.map { DurationSummary($0) },
      wakeups: health.wakeups)
    report.sessions.append(part)
    report.losses.merge(part.losses, uniquingKeysWith: +)
    report.blind = (report.blind ?? 0) + part.blind
    report.excluded = (report.excluded ?? 0) + part.excluded
    report.observerTotal = (report.observerTotal ?? 0) + part.observerTotal
    report.monitorCPU = (report.monitorCPU ?? 0) + part.monitorCPU
    report.wakeups = (report.wakeups ?? 0) + part.wakeups
    lateness = StoredMetric(merging: [lateness, health.watchdogLateness].compactMap { $0 })
    for interval in health.intervals { add(interval) }
  }

  /// The sum over all sessions added.
  func folded() -> HealthReport {
    var report = report
    report.watchdogLateness = lateness.map { DurationSummary($0) }
    report.intervals = intervals.values.sorted { ($0.total, $1.reason) > ($1.total, $0.reason) }
    return report
  }

  private mutating func add(_ interval: IntervalRecord) {
    let sort = IntervalSort(kind: interval.kind, reason: interval.reason)
    var total =
      intervals[sort] ?? IntervalTotal(kind: interval.kind, reason: interval.reason, count: 0, total: 0, longest: 0)
    total.count += 1
    total.total += interval.duration
    total.longest = max(total.longest, interval.duration)
    intervals[sort] = total
  }
}
