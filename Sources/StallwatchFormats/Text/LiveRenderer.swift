import StallwatchCore
import StallwatchReport
import StallwatchStore

/// Renders a recording in progress as the lines of a screen.
package struct LiveRenderer: Sendable {
  private var style: TerminalStyle
  private var height: Int

  /// A renderer for a screen of `height` lines; nil sets no limit.
  package init(style: TerminalStyle = TerminalStyle(), height: Int? = nil) {
    self.style = style
    self.height = height ?? .max
  }

  /// The lines, no more than fit on the screen. Figures are never cut, so lines may be wider than a narrow screen.
  package func lines(_ view: LiveView, store: String, remark: String? = nil) -> [String] {
    var lines = [style.paint(cut(title(view.reading, store)), .heading), cut(counts(view.reading))]
    if let remark { lines[1] = style.paint(cut(remark), .notice) }
    if let selection = view.reading.selection { lines.append(style.paint(cut(selection.text), .faint)) }
    // Loops held now come first and take the room they need; the rest share what is left.
    for detail in view.reading.held { lines += held(detail) }
    lines += section("LOOPS", loops(view), room: max(min(view.loops.count, 8), 1))
    if !view.timers.isEmpty { lines += section("TIMERS FALLING BEHIND", timers(view), room: 5) }
    if !view.reading.last.isEmpty { lines += section("LAST STALLS", last(view.reading), room: 12) }
    return Array(lines.prefix(height))
  }

  private func title(_ reading: LiveReading, _ store: String) -> String {
    let name = DisplayText.name(store.split(separator: "/").last.map(String.init) ?? store)
    guard let session = reading.sessions.last(where: { $0.ended == .running }) ?? reading.sessions.last else {
      return "\(name): no session yet"
    }
    let program = session.record.command.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? ""
    let running = reading.sessions.count { $0.ended == .running }
    let state =
      running > 0
      ? "recording for \(Figure.duration(session.duration))" + (running > 1 ? ", \(running) sessions" : "")
      : "ended after \(Figure.duration(session.duration))"
    return "\(name): \(DisplayText.name(program, to: 40)) (\(session.record.process.pid)), \(state)"
  }

  private func counts(_ reading: LiveReading) -> String {
    let counts = reading.stalls
    var parts = [Figure.count(reading.loops.count, "loop"), Figure.count(counts.count, "stall")]
    for severity in [Severity.severe, .hang] {
      if let count = counts.bySeverity[severity], count > 0 { parts.append("\(Figure.count(count)) \(severity.name)") }
    }
    if counts.count > 0 { parts.append("held for \(Figure.duration(counts.total)) in all") }
    if reading.losses > 0 { parts.append("\(Figure.count(reading.losses, "record")) lost") }
    if reading.blind > 0 { parts.append("unobserved for \(Figure.duration(reading.blind))") }
    return parts.joined(separator: ", ")
  }

  /// The most functions of a stack to show: the innermost ones, and what the run loop called.
  private static let shownFrames = 10

  private func held(_ detail: StallDetail) -> [String] {
    let stall = detail.listed.stall
    let verb =
      switch stall.began.kind {
      case .stall: "HELD"
      case .congestion: "BUSY"
      case .away: "AWAY"
      }
    let phase = stall.phaseName.map { ", \($0)" } ?? ""
    let place = detail.listed.loopKind.hasModes ? " in \(DisplayText.name(stall.mode, to: 40))\(phase)" : ""
    var lines = [
      "",
      style.paint(
        cut(
          "\(verb) for \(Figure.duration(stall.duration)): \(DisplayText.name(detail.listed.loopName, to: 40))"
            + "\(place) (stall \(stall.id))"), .alarm),
    ]
    guard let sample = detail.samples.last else { return lines + [cut("  not sampled yet")] }
    var state = "  \(CauseWords.short(stall.cause))"
    if let blockedOn = sample.sample.blockedOn { state += ", in \(CauseWords.blockedOn(blockedOn))" }
    state += ", sampled \(Figure.times(detail.samples.count))"
    lines.append(cut(state))
    let frames = FoldedStack.inside(sample.frames).frames.filter { !$0.isGlue }
    for frame in frames.prefix(Self.shownFrames) {
      let place = frame.location.map { "  \($0.label)" } ?? ""
      lines.append(
        style.paint(
          cut("    \(DisplayText.name(frame.label))\(DisplayText.harmless(place))"), frame.isSystem ? .faint : .plain))
    }
    if frames.count > Self.shownFrames { lines.append(cut("    and \(frames.count - Self.shownFrames) more")) }
    return lines
  }

  private func section(_ title: String, _ table: Table, room: Int) -> [String] {
    let layout = TableLayout(Table(columns: table.columns, rows: Array(table.rows.prefix(room))), style: style)
    let rest = table.rows.count - min(table.rows.count, room)
    return ["", style.paint(title, .heading), layout.header] + table.rows.prefix(room).map(layout.line)
      + (rest > 0 ? [style.paint(cut("and \(Figure.count(rest)) more"), .faint)] : [])
  }

  private func loops(_ view: LiveView) -> Table {
    var table = Table(columns: [
      .name("loop"), .figure("busy now"), .figure("in all").leaving(2), .figure("turns now").leaving(1),
      .figure("longest"), .figure("stalls"), .figure("held"),
    ])
    for entry in view.loops {
      let loop = entry.loop
      table.rows.append([
        Table.Cell(
          (view.reading.sessions.count > 1 ? "#\(loop.session) " : "") + DisplayText.name(loop.name),
          tone: entry.isHeld ? .alarm : .plain),
        Table.Cell(
          entry.isHeld ? "held" : now(entry, view),
          tone: entry.isHeld ? .alarm : .plain),
        Table.Cell(Figure.share(loop.time.utilization)), Table.Cell(Figure.count(entry.iterationsNow)),
        Table.Cell(Figure.duration(loop.longest)), Table.Cell(Figure.count(loop.stalls.count)),
        Table.Cell(Figure.duration(loop.stalls.total)),
      ])
    }
    return table
  }

  /// The utilization since the earlier reading; a dash for a recording that has ended.
  private func now(_ loop: LiveView.Loop, _ view: LiveView) -> String {
    guard view.reading.isRecording, let utilization = loop.utilizationNow else { return "–" }
    return Figure.share(utilization)
  }

  private func timers(_ view: LiveView) -> Table {
    var table = Table(columns: [
      .name("timer"), .name("loop"), .figure("dropped"), .figure("fired").leaving(1), .figure("worst lateness"),
    ])
    for entry in view.timers {
      table.rows.append([
        Table.Cell(DisplayText.name(entry.timer.title)), Table.Cell(DisplayText.name(entry.timer.loopName)),
        Table.Cell(Figure.count(entry.droppedNow), tone: .notice), Table.Cell(Figure.count(entry.firedNow)),
        Table.Cell(Figure.duration(entry.timer.worst)),
      ])
    }
    return table
  }

  /// Of the last stalls' columns that of the mode, which says nothing of a lane without modes.
  private var modeColumn: Int { 3 }

  private func last(_ reading: LiveReading) -> Table {
    var table = Table(columns: [
      .figure("id"), .figure("duration"), .name("loop"), .name("mode").leaving(1), .word("cause"),
      .name("what held the loop"),
    ])
    for listed in reading.last {
      let stall = listed.stall
      table.rows.append([
        "\(stall.id)", Table.Cell(Figure.duration(stall.duration), tone: SeverityTone.tone(stall.severity)),
        Table.Cell(DisplayText.name(listed.loopName)),
        Table.Cell(listed.loopKind.hasModes ? DisplayText.name(stall.mode) : ""),
        Table.Cell(CauseWords.short(stall.cause)),
        Table.Cell(listed.analysis?.sentence ?? Figure.unknown),
      ])
    }
    return reading.last.contains { $0.loopKind.hasModes } ? table : table.without(modeColumn..<modeColumn + 1)
  }

  private func cut(_ text: String) -> String { DisplayText.cut(DisplayText.harmless(text), to: style.width) }
}
