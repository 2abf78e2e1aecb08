import StallwatchCore
import StallwatchReport
import StallwatchStore

/// A store as a page of metrics for Prometheus and compatible scrapers: OpenMetrics 1.0 (openmetrics.io), or
/// Prometheus's own text format.
///
/// Sessions of one program on one host are summed, so that counters keep growing from session to session. Names that a
/// program chooses are labels. After that the page leaves out all but the loops and timers with the most trouble, and
/// says how many, so that a program that makes thousands cannot flood a server: a counter may come and go, and never
/// falls. Stalls count once they are over, because until then their severity and cause may change.
struct OpenMetricsExport<Contents: StoreContents> {
  private static var mostLoops: Int { 50 }
  private static var mostTimers: Int { 100 }

  /// The program and host of sessions that are summed, as the labels show them.
  private struct Owner: Hashable {
    let program: String
    let host: String

    init(program: String, host: String) {
      (self.program, self.host) = (MetricFamilies.shown(program), MetricFamilies.shown(host))
    }

    var labels: [(String, String)] { [("program", program), ("host", host)] }
  }

  /// Loops, or timers on them, that are summed, as the labels show them.
  private struct Group: Hashable {
    let owner: Owner
    let loop: String
    let timer: String?

    init(owner: Owner, loop: String, timer: String? = nil) {
      self.owner = owner
      (self.loop, self.timer) = (MetricFamilies.shown(loop), timer.map(MetricFamilies.shown))
    }

    var labels: [(String, String)] { owner.labels + [("loop", loop)] + (timer.map { [("timer", $0)] } ?? []) }
  }

  /// By the session's row.
  private typealias Owners = [Int64: Owner]

  private let export: StoreExport<Contents>
  private let catalog: Catalog
  private var families = MetricFamilies()

  init(_ export: StoreExport<Contents>, catalog: Catalog) { (self.export, self.catalog) = (export, catalog) }

  /// Writes the page. Throws what reading and `sink` throw.
  mutating func write(_ syntax: MetricFamilies.Syntax, into sink: TextSink) throws {
    let report = try ReportBuilder().build(from: export.contents, stacks: export.stacks)
    let owners = Dictionary(
      report.sessions.map { ($0.id, Self.owner($0)) }, uniquingKeysWith: { first, _ in first })
    for session in report.sessions { if let owner = owners[session.id] { add(session, owner) } }
    let loops = Self.loops(of: report, owners)
    try add(loops)
    add(Self.timers(of: report, owners))
    try addStalls(of: Set(loops.chosen.map(\.group)), owners)
    for part in report.health.sessions { if let owner = owners[part.session] { add(part, owner) } }
    addDrift(report, of: Set(loops.chosen.map(\.group)), owners)
    try families.write(syntax, into: sink)
  }

  private static func owner(_ session: StoredSession) -> Owner {
    let path = session.record.command.first ?? ""
    return Owner(
      program: path.split(separator: "/").last.map(String.init) ?? path, host: session.record.process.host)
  }

  private mutating func add(_ session: StoredSession, _ owner: Owner) {
    families.add(.sessions, 1, owner.labels + [("ended", session.ended.rawValue)])
    families.add(.watched, Double(session.duration) / 1e9, owner.labels)
  }

  /// Those with the most trouble, and how many others there are.
  private typealias Chosen<Member> = (chosen: [(group: Group, members: [Member])], leftOut: Int)

  /// The observed loops by program, host and name, those first that were held longest, then those with the longest
  /// span.
  private static func loops(of report: Report, _ owners: Owners) -> Chosen<LoopReport> {
    chosen(
      report.loops.filter(\.wasObserved), most: mostLoops,
      group: { loop in owners[loop.session].map { Group(owner: $0, loop: loop.name) } },
      trouble: { loops in
        (
          loops.map { $0.stalls.total.saturatingAdd($0.stalls.congestionTotal) }.saturatingSum(),
          loops.compactMap(\.span.maximum).max() ?? 0
        )
      })
  }

  /// The timers by program, host, loop and title, those first that dropped most, then the latest.
  private static func timers(of report: Report, _ owners: Owners) -> Chosen<TimerReport> {
    chosen(
      report.timers, most: mostTimers,
      group: { timer in
        owners[timer.timer.session].map {
          Group(owner: $0, loop: timer.loopName ?? Figure.unknown, timer: timer.title)
        }
      },
      trouble: { timers in
        (timers.map(\.timer.ledger.dropped).saturatingSum(), timers.compactMap(\.lateness.maximum).max() ?? 0)
      })
  }

  private static func chosen<Member>(
    _ members: [Member], most: Int, group: (Member) -> Group?, trouble: ([Member]) -> (UInt64, UInt64)
  ) -> Chosen<Member> {
    var (groups, places): ([(group: Group, members: [Member])], [Group: Int]) = ([], [:])
    for member in members {
      guard let group = group(member) else { continue }
      if let place = places[group] {
        groups[place].members.append(member)
      } else {
        places[group] = groups.count
        groups.append((group, [member]))
      }
    }
    let ranked = groups.enumerated().map { (trouble: trouble($1.members), place: $0) }
      .sorted { ($0.trouble.0, $0.trouble.1, $1.place) > ($1.trouble.0, $1.trouble.1, $0.place) }
    return (ranked.prefix(most).map { groups[$0.place] }, max(groups.count - most, 0))
  }

  private mutating func add(_ loops: Chosen<LoopReport>) throws {
    for (group, members) in loops.chosen {
      for loop in members {
        add(catalog.loop, of: loop, group.labels)
        for mode in try export.contents.modes(loop: loop.id) {
          addDistributions(catalog.loop, of: mode, group.labels + [("mode", mode.name)])
        }
      }
    }
    families.add(.leftOut, Double(loops.leftOut), [("what", "loops")])
  }

  private mutating func add(_ timers: Chosen<TimerReport>) {
    for (group, members) in timers.chosen {
      for timer in members {
        add(catalog.timer, of: timer, group.labels)
        addDistributions(catalog.timer, of: timer.timer, group.labels)
      }
    }
    families.add(.leftOut, Double(timers.leftOut), [("what", "timers")])
  }

  private mutating func addStalls(of groups: Set<Group>, _ owners: Owners) throws {
    let loops = Dictionary(export.loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for total in try export.contents.stallTotals() {
      guard let loop = loops[total.loop], let owner = owners[loop.session] else { continue }
      let group = Group(owner: owner, loop: loop.record.name)
      guard groups.contains(group) else { continue }
      switch total.state {
      case .cancelled: continue
      case .began: families.add(.openStalls, Double(total.count), group.labels)
      case .ended, .fatal:
        let labels = group.labels + [("kind", total.kind.rawValue), ("severity", total.severity.name)]
        families.add(.stalls, Double(total.count), labels)
        families.add(.stallTime, Double(total.total) / 1e9, labels)
      }
    }
    try export.contents.forEachStall { stall in
      guard [.ended, .fatal].contains(stall.state), let cause = stall.cause, let owner = owners[stall.session] else {
        return
      }
      for (name, time) in [("running", cause.running), ("blocked", cause.blocked), ("starved", cause.starved)] {
        families.add(.causes, Double(time) / 1e9, owner.labels + [("cause", name)])
      }
    }
  }

  private mutating func add(_ part: SessionHealth, _ owner: Owner) {
    for (buffer, count) in part.figures.losses {
      families.add(.losses, Double(count), owner.labels + [("buffer", buffer)])
    }
    add(catalog.health, of: part.figures, owner.labels)
  }

  private mutating func addDrift(_ report: Report, of groups: Set<Group>, _ owners: Owners) {
    let loops = Dictionary(report.loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for (row, drift) in report.driftByLoop {
      guard let loop = loops[row], let owner = owners[loop.session] else { continue }
      let group = Group(owner: owner, loop: loop.name)
      guard groups.contains(group) else { continue }
      let labels = group.labels
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
