import StallwatchCore
import StallwatchReport
import StallwatchStore

/// What the figures do not cover, and what the monitor costs.
enum HealthSection {
  /// Excluded and blind time.
  static func coverage(_ report: Report) -> ReportSection {
    let title = "Excluded and unobserved time"
    guard !report.sessions.isEmpty else {
      return ReportSection(title: title, paragraphs: [Figure.unknown + "."] + removed(report.health))
    }
    guard !report.health.intervals.isEmpty else {
      return ReportSection(
        title: title,
        paragraphs: ["None: nothing was suspended, and no time went unobserved."] + removed(report.health))
    }
    var table = Table(columns: [
      .word("kind"), .name("reason"), .figure("times"), .figure("in all"), .figure("longest"),
    ])
    for interval in report.health.intervals {
      table.rows.append([
        Table.Cell(interval.kind.word), Table.Cell(interval.reason), Table.Cell(Figure.count(interval.count)),
        Table.Cell(Figure.duration(interval.total)), Table.Cell(Figure.duration(interval.longest)),
      ])
    }
    return ReportSection(
      title: title, table: table,
      notes: [
        "Excluded: the process was stopped, or the machine slept. Unobserved: the process ran, but the monitor could "
          + "not see it."
      ] + removed(report.health))
  }

  /// What the store no longer has, all sessions together.
  private static func removed(_ health: HealthReport) -> [String] {
    guard !health.removed.isEmpty else { return [] }
    var parts: [String] = []
    for what in Removed.What.allCases {
      for reason in [Removed.Reason.age, .size] {
        let rows = health.removed.filter { $0.what == what && $0.reason == reason }
        guard !rows.isEmpty else { continue }
        let count = rows.reduce(Int64(0)) { sum, row in
          let (sum, overflow) = sum.addingReportingOverflow(max(row.count, 0))
          return overflow ? .max : sum
        }
        parts.append("\(RemovedWords.text(what, count: count)) (\(reason.rawValue))")
      }
    }
    return ["To keep to the store's limits of age and size: \(parts.joined(separator: ", "))."]
  }

  /// The monitor's losses, troubles and cost.
  static func cost(_ report: Report) -> ReportSection {
    let health = report.health
    return ReportSection(
      title: "The monitor itself",
      paragraphs: [
        losses(health), monitorCost(health.figures),
        observerCost(health.figures, busy: report.loops.map(\.time.busy).saturatingSum()), watchdog(health.figures),
      ] + looks(health.figures) + obstacles(health) + troubles(health))
  }

  private static func troubles(_ health: HealthReport) -> [String] {
    let troubled = health.sessions.filter { $0.trouble != nil }
    guard let first = troubled.first, let trouble = first.trouble else { return [] }
    let others = troubled.count > 1 ? ", and \(Figure.count(troubled.count - 1, "more session")) had trouble too" : ""
    return [
      "The store could not always be written: \(DisplayText.cut(trouble, to: 200)) (session \(first.session))\(others)."
    ]
  }

  private static func looks(_ health: HealthFigures) -> [String] {
    guard health.emptyLooks > 0 else { return [] }
    let looks = Figure.count(health.emptyLooks, "look")
    return [
      "\(looks) at held or busy threads yielded no stack: the thread had ended, did not answer in time, or could not "
        + "be interrupted."
    ]
  }

  private static func obstacles(_ health: HealthReport) -> [String] {
    let hindered = health.sessions.filter { $0.signalObstacle != nil }
    guard let first = hindered.first, let obstacle = first.signalObstacle else { return [] }
    let others = hindered.count > 1 ? ", nor in \(Figure.count(hindered.count - 1, "more session"))" : ""
    return [
      "Running threads were not interrupted for their stacks, because \(DisplayText.cut(obstacle, to: 200)) "
        + "(session \(first.session))\(others). The stacks of blocked threads were still read."
    ]
  }

  private static func losses(_ health: HealthReport) -> String {
    let figures = health.figures
    guard figures.lossCount > 0 else {
      let isTroubled = health.sessions.contains { $0.trouble != nil }
      return isTroubled ? "The number of lost records is uncertain." : "No record was lost."
    }
    let parts = figures.losses.filter { $0.key != HealthFigures.looks }.sorted {
      ($0.value, $1.key) > ($1.value, $0.key)
    }
    .map {
      "\(Figure.count($0.value)) in \(DisplayText.name($0.key, to: 24))"
    }
    return "\(Figure.count(figures.lossCount, "record")) did not fit and \(figures.lossCount == 1 ? "was" : "were") "
      + "lost: \(parts.joined(separator: ", ")). Counts above may be too low."
  }

  private static func monitorCost(_ health: HealthFigures) -> String {
    guard let cpu = health.monitorCPU else { return "CPU time of the monitor's threads: \(Figure.unknown)." }
    return "Its own threads took \(Figure.duration(cpu)) of CPU in \(Figure.duration(health.watched)) of watching: "
      + "\(Figure.share(health.share(cpu))) of one core."
  }

  private static func observerCost(_ health: HealthFigures, busy: Nanoseconds) -> String {
    guard let observers = health.observerTotal else { return "Time in its observers: \(Figure.unknown)." }
    let share = busy > 0 ? " (\(Figure.share(Double(observers) / Double(busy))) of their busy time)" : ""
    return "Its observers took about \(Figure.duration(observers)) on the watched threads\(share)."
  }

  private static func watchdog(_ health: HealthFigures) -> String {
    guard let wakeups = health.wakeups else { return "Wake-ups of the watchdog: \(Figure.unknown)." }
    let drift = health.driftWakeups ?? 0
    let woke =
      (drift > 0 ? "The drift probe caused \(Figure.count(drift, "wake-up")). " : "")
      + "The watchdog woke up \(Figure.times(wakeups))"
    guard let lateness = health.watchdogLateness, lateness.count > 0 else {
      return "\(woke); how late: \(Figure.unknown)."
    }
    return "\(woke); its timed sleeps ended late by \(Figure.duration(lateness[.p50])) (median), "
      + "\(Figure.duration(lateness[.p99])) (p99), \(Figure.duration(lateness.maximum)) at most."
  }
}
