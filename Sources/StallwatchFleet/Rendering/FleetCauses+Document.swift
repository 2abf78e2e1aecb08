import StallwatchCore
import StallwatchFormats
import StallwatchReport

extension FleetCauses {
  /// The causes that are listed in texts; JSON has all.
  private static let most = 100

  /// The list as a document.
  package var document: FleetDocument {
    FleetDocument(
      title: "Stallwatch fleet: causes of \(service)", verdict: verdict,
      mood: items.contains { $0.state == .new || $0.state == .regressed } ? .bad : .good,
      sections: items.isEmpty ? [] : [Self.section("Causes", Array(items.prefix(Self.most)), of: items.count)],
      flame: nil, command: "causes", json: write)
  }

  private var verdict: String {
    guard !items.isEmpty else {
      return "No stall of \(DisplayText.name(service)) has a cause in \(source) in that time."
    }
    let newest = releases.last.map { " in release \(DisplayText.name($0))" } ?? ""
    let counts = State.allCases.map { state in "\(Figure.count(items.count { $0.state == state })) \(state.rawValue)" }
    return "\(DisplayText.name(service)): \(Figure.count(items.count, "cause")) on "
      + "\(Figure.count(instances, "instance"))\(newest): \(Figure.list(counts))."
  }

  /// Causes in a table.
  static func section(_ title: String, _ items: [Item], of all: Int? = nil) -> ReportSection {
    var table = Table(columns: [
      .word("state"), .longName("cause"), .figure("of instances"), .figure("hours hit").leaving(3), .figure("stalls"),
      .figure("held").leaving(4), .figure("worst").leaving(5), .word("first seen").leaving(2),
      .word("last seen").leaving(1),
      .name("releases").leaving(6), .word("signature"),
    ])
    for item in items {
      let tone: Table.Tone =
        switch item.state {
        case .new, .regressed: .alarm
        case .gone: .notice
        case .known: .plain
        }
      table.rows.append(
        [Table.Cell(item.state.rawValue, tone: tone)]
          + [
            DisplayText.name(item.cause.signature.sentence), Figure.share(item.share),
            Figure.count(item.cause.instanceHours),
            Figure.count(item.stalls.count), Figure.duration(item.stalls.total), Figure.duration(item.stalls.worst),
            FleetWords.moment(item.stalls.first), FleetWords.moment(item.stalls.last),
            item.releases.map { DisplayText.name($0) }.joined(separator: " "), item.cause.signature.signature,
          ].map { Table.Cell($0) })
    }
    let rest = (all ?? items.count) - items.count
    return ReportSection(
      title: title, table: table,
      notes: (rest > 0 ? ["and \(Figure.count(rest)) more."] : []) + [
        "'stallwatch fleet cause SIGNATURE' shows one of them. new: only the newest release has it; regressed: it is back "
          + "after a release without it; gone: the newest release is without it. A release is without a cause only where "
          + "its use would have shown \(Figure.count(Int(fewestExpected))) stalls of it."
      ])
  }
}
