import StallwatchCore
import StallwatchReport

/// The call trees of busy time.
enum ProfilesSection {
  /// One section for each of at most `limit` profiled loops, the busiest first, with `rows` functions each.
  static func sections(_ report: Report, limit: Int, rows: Int) -> [ReportSection] {
    let loops = Dictionary(report.loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let busiest = report.profiles.sorted { ($1.weight, $0.loop) < ($0.weight, $1.loop) }
    return busiest.prefix(limit).map { profile in
      let name = loops[profile.loop].map(report.label) ?? Figure.unknown
      let (table, left) = CallTreeTable.table(profile.tree, rows: rows)
      let busy =
        "Loop \(name): \(Figure.count(profile.count, "sample")) of \(Figure.duration(profile.weight)) busy time."
      let rest = left > 0 ? ["and \(Figure.count(left)) lighter calls: 'stallwatch export' writes all."] : []
      return ReportSection(title: "What kept the loop busy", paragraphs: [busy], table: table, notes: rest)
    }
  }
}
