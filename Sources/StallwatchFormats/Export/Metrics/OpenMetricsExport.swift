import StallwatchCore
import StallwatchReport
import StallwatchStore

/// A store as a page of metrics for Prometheus and compatible scrapers (OpenMetrics 1.0, openmetrics.io).
///
/// Sessions of one program on one host are summed, so that counters keep growing from session to session. Names that a
/// program chooses are labels. The page lists only the loops and timers with the most trouble, and the number left out,
/// so that a program that makes thousands cannot flood a server.
struct OpenMetricsExport<Contents: StoreContents> {
  private static var mostLoops: Int { 50 }
  private static var mostTimers: Int { 100 }

  private let export: StoreExport<Contents>
  private let catalog: Catalog
  private var families = MetricFamilies()

  init(_ export: StoreExport<Contents>, catalog: Catalog) { (self.export, self.catalog) = (export, catalog) }

  /// Writes the page. Throws what reading and `sink` throw.
  mutating func write(into sink: TextSink) throws {
    let report = try ReportBuilder().build(from: export.contents, stacks: export.stacks)
    let owners = Dictionary(
      report.sessions.map { ($0.id, Self.owner($0)) }, uniquingKeysWith: { first, _ in first })
    for session in report.sessions { add(session, owner: Self.owner(session)) }
    try addLoops(report, owners: owners)
    addTimers(report, owners: owners)
    try addStalls(owners: owners)
    for part in report.health.sessions { add(part, owner: owners[part.session] ?? []) }
    addDrift(report, owners: owners)
    try families.write(into: sink)
  }

  /// The labels of a session: its program and host.
  private static func owner(_ session: StoredSession) -> [(String, String)] {
    let path = session.record.command.first ?? ""
    return [
      ("program", path.split(separator: "/").last.map(String.init) ?? path), ("host", session.record.process.host),
    ]
  }

  private mutating func add(_ session: StoredSession, owner: [(String, String)]) {
    families.add(.sessions, 1, owner + [("ended", session.ended.rawValue)])
    families.add(.watched, Double(session.duration) / 1e9, owner)
  }

  private mutating func addLoops(_ report: Report, owners: [Int64: [(String, String)]]) throws {
    let worst = LoopReport.worstFirst(report.loops)
    for loop in worst.prefix(Self.mostLoops) {
      let labels = (owners[loop.session] ?? []) + [("loop", loop.name)]
      add(catalog.loop, of: loop, labels)
      for mode in try export.contents.modes(loop: loop.id) {
        addDistributions(catalog.loop, of: mode, labels + [("mode", mode.name)])
      }
    }
    families.add(.leftOut, Double(max(worst.count - Self.mostLoops, 0)), [("what", "loops")])
  }

  private mutating func addTimers(_ report: Report, owners: [Int64: [(String, String)]]) {
    for timer in report.timers.prefix(Self.mostTimers) {
      let labels =
        (owners[timer.timer.session] ?? []) + [("loop", timer.loopName ?? Figure.unknown), ("timer", timer.title)]
      add(catalog.timer, of: timer, labels)
      addDistributions(catalog.timer, of: timer.timer, labels)
    }
    families.add(.leftOut, Double(max(report.timers.count - Self.mostTimers, 0)), [("what", "timers")])
  }

  private mutating func addStalls(owners: [Int64: [(String, String)]]) throws {
    let loops = Dictionary(export.loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for total in try export.contents.stallTotals() where total.state != .cancelled {
      guard let loop = loops[total.loop], let owner = owners[loop.session] else { continue }
      let labels =
        owner + [("loop", loop.record.name), ("kind", total.kind.rawValue), ("severity", total.severity.name)]
      families.add(.stalls, Double(total.count), labels)
      families.add(.stallTime, Double(total.total) / 1e9, labels)
    }
    try export.contents.forEachStall { stall in
      guard stall.state != .cancelled, let cause = stall.cause, let owner = owners[stall.session] else { return }
      for (name, time) in [("running", cause.running), ("blocked", cause.blocked), ("starved", cause.starved)] {
        families.add(.causes, Double(time) / 1e9, owner + [("cause", name)])
      }
    }
  }

  private mutating func add(_ part: SessionHealth, owner: [(String, String)]) {
    for (buffer, count) in part.figures.losses { families.add(.losses, Double(count), owner + [("buffer", buffer)]) }
    add(catalog.health, of: part.figures, owner)
  }

  private mutating func addDrift(_ report: Report, owners: [Int64: [(String, String)]]) {
    let loops = Dictionary(report.loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for (row, drift) in report.driftByLoop.prefix(Self.mostLoops) {
      guard let loop = loops[row], let owner = owners[loop.session] else { continue }
      let labels = owner + [("loop", loop.name)]
      for measure in catalog.drift where measure.isDistribution {
        guard let name = measure.metric, let summary = measure.summary(of: drift) else { continue }
        for quantile in Quantile.brief {
          guard let value = summary[quantile] else { continue }
          let share = quantile == .maximum ? "1" : "\(quantile.share)"
          families.raise(.drift(name), value.number / 1e9, labels + [("timer", measure.key), ("percentile", share)])
        }
      }
      add(catalog.drift, of: drift, labels)
    }
  }

  /// Adds the exported measures that have one value: durations and counts are summed, the worst of others stands.
  private mutating func add<Subject, Stored>(
    _ measures: [Measure<Subject, Stored>], of subject: Subject, _ labels: [(String, String)]
  ) {
    for measure in measures where !measure.isDistribution {
      guard let name = measure.metric, let value = measure.value(of: subject)?.number else { continue }
      let family = MetricFamilies.Family(measure, name: name)
      switch measure.unit {
      case .duration: families.add(family, value / 1e9, labels)
      case .count: families.add(family, value, labels)
      case .share, .rate: families.raise(family, value, labels)
      }
    }
  }

  /// Adds the exported distributions, as the store has them.
  private mutating func addDistributions<Subject, Stored>(
    _ measures: [Measure<Subject, Stored>], of stored: Stored, _ labels: [(String, String)]
  ) {
    for measure in measures {
      guard let name = measure.metric, case .distribution(let metric)? = measure.tally?(stored) else { continue }
      families.add(MetricFamilies.Family(measure, name: name), metric, labels)
    }
  }
}
