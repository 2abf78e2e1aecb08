import StallwatchCore
import StallwatchFormats
import StallwatchReport

extension FleetReport {
  /// The causes that are listed.
  private static let mostCauses = 15

  /// The report as a document.
  package var document: FleetDocument {
    FleetDocument(
      title: "Stallwatch fleet: \(service)", verdict: verdict, mood: total.activity.hang > 0 ? .bad : .good,
      sections: [
        groups("By release", "release", releases),
        environments.count > 1 || environments.first?.name != ""
          ? groups("By environment", "environment", environments) : nil,
        laneSection, causes.isEmpty ? nil : FleetCauses.section("Top causes", Array(causes.prefix(Self.mostCauses))),
        worstSection, missingSection,
      ].compactMap(\.self), flame: nil, command: "report", json: write)
  }

  private var verdict: String {
    guard let hours, let rate = total.hangRate else {
      return "Nothing of \(DisplayText.name(service)) was watched in \(source) in that time."
    }
    let kind = lanes.count == 1 ? "lane \(DisplayText.name(lanes[0]))" : Figure.count(lanes.count, "lane")
    var text =
      "\(DisplayText.name(service)) hung for \(FleetWords.estimate(rate)) seconds per hour of use, on "
      + "\(Figure.count(total.instances, "instance")) in \(Figure.rate(total.hours)) hours of use of \(kind)"
    text += ", from \(FleetWords.hour(hours.lowerBound)) to \(FleetWords.hour(hours.upperBound + 1))."
    if let top = causes.first {
      text +=
        " \(DisplayText.name(top.cause.signature.sentence)) hit \(Figure.share(top.share)) of them, most of all causes."
    }
    return text
  }

  private func groups(_ title: String, _ word: String, _ groups: [Group]) -> ReportSection {
    var table = Table(columns: [
      .name(word), .figure("instances"), .figure("hours of use"), .figure("hang rate (95 %)"),
      .figure("hangs an hour").leaving(2), .figure("stalls").leaving(3), .figure("span p50").of("span").leaving(1),
      .figure("p90").of("span").leaving(4), .figure("p99").of("span"), .figure("p999").of("span").leaving(5),
    ])
    for group in groups {
      table.rows.append(
        [
          FleetWords.name(group.name), Figure.count(group.instances), Figure.rate(group.hours),
          FleetWords.estimate(group.hangRate), Figure.rate(group.hangs?.value), Figure.count(group.activity.stalls),
        ].map { Table.Cell($0) }
          + [50, 90, 99, 99.9].map { Table.Cell(Figure.duration(group.span(atPercentile: $0))) })
    }
    var notes: [String] = []
    if word == "release" {
      notes.append(
        "Hang rate: seconds of stalls of 250 ms or more per hour of use, of \(Figure.list(lanes.map { DisplayText.name($0) }))"
          + "; the interval is that of a ratio over instances.")
      if groups.contains(where: { $0.hangRate?.low == nil }) {
        notes.append(
          "Of fewer than \(RatioEstimate.fewest) instances there is no interval: nobody can tell how much they differ.")
      }
      if let words = FleetWords.filter(filter) { notes.append(words) }
    }
    return ReportSection(title: title, table: table, notes: notes)
  }

  private var laneSection: ReportSection {
    var table = Table(columns: [
      .name("lane"), .figure("instances"), .figure("watched"), .figure("busy").leaving(2), .figure("stalls"),
      .figure("held"), .figure("worst"), .figure("hang rate").leaving(1), .figure("p99 span"),
    ])
    for lane in byLane.prefix(20) {
      let busy = lane.activity.watched > 0 ? Double(lane.activity.busy) / Double(lane.activity.watched) : nil
      table.rows.append(
        [
          FleetWords.name(lane.name), Figure.count(lane.instances), Figure.duration(lane.activity.watched),
          Figure.share(busy), Figure.count(lane.activity.stalls), Figure.duration(lane.activity.stalled),
          Figure.duration(lane.activity.worst), Figure.rate(lane.hangRate?.value),
          Figure.duration(lane.span(atPercentile: 99)),
        ].map { Table.Cell($0) })
    }
    let rest = byLane.count - table.rows.count
    return ReportSection(title: "By lane", table: table, notes: rest > 0 ? ["and \(Figure.count(rest)) more."] : [])
  }

  private var worstSection: ReportSection? {
    guard !worst.isEmpty else { return nil }
    var table = Table(columns: [
      .name("instance"), .figure("hang rate"), .figure("hangs"), .figure("hung for"), .figure("hours of use"),
    ])
    for instance in worst {
      table.rows.append(
        [
          FleetWords.name(instance.name), Figure.rate(instance.hangRate?.value), Figure.count(instance.hangs),
          Figure.duration(instance.hang), Figure.rate(instance.hours),
        ].map { Table.Cell($0) })
    }
    return ReportSection(
      title: "Worst instances", table: table, notes: ["Only instances that were used for at least half an hour."])
  }

  private var missingSection: ReportSection {
    let sessions = missing.sessions
    let part = { (time: Nanoseconds) in
      Figure.share(sessions.duration > 0 ? Double(time) / Double(sessions.duration) : nil)
    }
    var lines = [
      "\(Figure.count(sessions.count, "session")) of \(Figure.duration(sessions.duration)) together; "
        + "\(Figure.count(sessions.killed)) ended by a kill.",
      "Unobserved for \(Figure.duration(sessions.unobserved)) (\(part(sessions.unobserved))), excluded for "
        + "\(Figure.duration(sessions.excluded)).",
      "\(Figure.count(missing.unattributed)) of \(Figure.count(missing.stalls, "stall")) have no cause: no stack was read.",
    ]
    let losses = sessions.losses.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if losses.isEmpty {
      lines.append("No record was lost.")
    } else {
      lines.append("Lost: \(Figure.list(losses.prefix(6).map { "\(Figure.count($0.value)) × \($0.key)" })).")
    }
    return ReportSection(title: "What is missing", paragraphs: lines)
  }
}
