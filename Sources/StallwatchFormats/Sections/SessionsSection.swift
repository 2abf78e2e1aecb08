import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The watched processes.
enum SessionsSection {
  /// At most `limit` sessions, in their order. If there are more, those that matter most: running ones, then those
  /// whose loops were held longest, then the longest.
  static func section(_ report: Report, limit: Int) -> ReportSection {
    guard !report.sessions.isEmpty else { return ReportSection(title: "Sessions", paragraphs: ["None."]) }
    var table = Table(columns: [
      .figure("#"), .name("command"), .figure("pid").leaving(2), .name("host").leaving(1), .word("started"),
      .figure("watched").leaving(4), .figure("threshold").leaving(3), .word("ended"),
    ])
    let chosen = chosen(report, limit: limit)
    let listed = report.sessions.filter { chosen.contains($0.id) }
    let labels = SaidLabels(listed)
    table.columns.insert(contentsOf: labels.columns, at: 2)
    for session in listed {
      var row = row(session)
      row.insert(contentsOf: labels.cells(session), at: 2)
      table.rows.append(row)
    }
    let rest = report.sessions.filter { !chosen.contains($0.id) }
    guard let longest = rest.map(\.duration).max() else { return ReportSection(title: "Sessions", table: table) }
    let killed = rest.count { $0.ended == .killed }
    let note =
      "and \(Figure.count(rest.count, "more session")) of up to \(Figure.duration(longest))"
      + (killed > 0 ? ", of which \(Figure.count(killed)) \(killed == 1 ? "was" : "were") killed." : ".")
    return ReportSection(title: "Sessions", table: table, notes: [note])
  }

  private static func chosen(_ report: Report, limit: Int) -> Set<Int64> {
    let held = Dictionary(grouping: report.loops, by: \.session).mapValues { $0.map(\.stalls.total).saturatingSum() }
    let order = { (session: StoredSession) in
      (session.ended == .running ? 0 : 1, .max - (held[session.id] ?? 0), .max - session.duration, session.id)
    }
    return Set(report.sessions.sorted { order($0) < order($1) }.prefix(limit).map(\.id))
  }

  private static func row(_ session: StoredSession) -> [Table.Cell] {
    let record = session.record
    return [
      "\(session.id)", Table.Cell(command(record.command)), "\(record.process.pid)",
      Table.Cell(record.process.host), Table.Cell(Timestamp.readable(record.startedAt)),
      Table.Cell(Figure.duration(session.duration)), Table.Cell(Figure.duration(record.threshold)), ended(session),
    ]
  }

  /// The command with its program's name instead of its path, to leave room for the arguments.
  private static func command(_ words: [String]) -> String {
    guard let program = words.first else { return "" }
    let name = program.split(separator: "/").last.map(String.init) ?? program
    return DisplayText.name(([name] + words.dropFirst()).joined(separator: " "))
  }

  private static func ended(_ session: StoredSession) -> Table.Cell {
    let status = session.exitStatus.flatMap { $0 == 0 ? nil : " (\($0))" } ?? ""
    switch session.ended {
    case .clean: return Table.Cell("clean" + status)
    case .killed:
      let signal = session.exitStatus.flatMap { SignalName.of(exitStatus: $0, on: session.record.platform) }
      return Table.Cell("killed" + (signal.map { " by \($0)" } ?? status), tone: .alarm)
    case .running: return Table.Cell("running", tone: .notice)
    }
  }
}
