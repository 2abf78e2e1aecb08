import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The watched processes.
enum SessionsSection {
  /// The first `limit` sessions. If there are more, killed and running ones come before clean ones.
  static func section(_ report: Report, limit: Int) -> ReportSection {
    guard !report.sessions.isEmpty else { return ReportSection(title: "Sessions", paragraphs: ["None."]) }
    var table = Table(columns: [
      .figure("#"), .name("command"), .figure("pid").leaving(2), .name("host").leaving(1), .word("started"),
      .figure("watched").leaving(4), .figure("threshold").leaving(3), .word("ended"),
    ])
    let order = { (session: StoredSession) in session.ended == .clean ? 1 : 0 }
    let chosen =
      report.sessions.count > limit
      ? report.sessions.sorted { (order($0), $0.id) < (order($1), $1.id) } : report.sessions
    for session in chosen.prefix(limit) { table.rows.append(row(session)) }
    let rest = report.sessions.count - limit
    return ReportSection(
      title: "Sessions", table: table,
      notes: rest > 0 ? ["and \(Figure.count(rest, "more session"))."] : [])
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
