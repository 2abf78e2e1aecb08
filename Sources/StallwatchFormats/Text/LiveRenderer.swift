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
  ///
  /// - Parameter chosen: The row of the chosen stall, which is marked.
  package func lines(_ view: LiveView, store: String, remark: String? = nil, chosen: Int64? = nil) -> [String] {
    var lines = [style.paint(cut(title(view.reading, store)), .heading), cut(counts(view.reading))]
    if let remark { lines[1] = style.paint(cut(remark), .notice) }
    if let selection = view.reading.selection { lines.append(style.paint(cut(selection.text), .faint)) }
    // Loops held now come first and take the room they need; the rest share what is left.
    for detail in view.reading.held { lines += held(detail) }
    lines += section("LOOPS", loops(view), of: view.loops.count)
    if !view.timers.isEmpty { lines += section("TIMERS FALLING BEHIND", timers(view), of: view.timers.count) }
    if !view.reading.last.isEmpty {
      lines += section("LAST STALLS", last(view.reading, chosen: chosen), of: view.reading.last.count)
    }
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
    let said = SaidLabels.words(session)
    return "\(name): \(DisplayText.name(program, to: 40)) (\(session.record.process.pid)), "
      + (said.isEmpty ? state : "\(said), \(state)")
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

  private func section(_ title: String, _ table: Table, of count: Int) -> [String] {
    let layout = TableLayout(table, style: style)
    let rest = count - table.rows.count
    return ["", style.paint(title, .heading), layout.header] + table.rows.map(layout.line)
      + (rest > 0 ? [style.paint(cut("and \(Figure.count(rest)) more"), .faint)] : [])
  }

  /// The most loops and timers to show.
  private static let (mostLoops, mostTimers) = (8, 5)

  /// While a recording goes on, the rows in the order in which the monitor saw them: nobody can read rows that change
  /// places each second.
  private func steady<Row>(_ rows: ArraySlice<Row>, _ view: LiveView, by id: KeyPath<Row, Int64>) -> [Row] {
    view.reading.isRecording ? rows.sorted { $0[keyPath: id] < $1[keyPath: id] } : Array(rows)
  }

  private func loops(_ view: LiveView) -> Table {
    var table = Table(columns: [
      .name("loop"), .figure("busy now"), .figure("in all").leaving(2), .figure("turns now").leaving(1),
      .figure("longest"), .figure("stalls"), .figure("held"),
    ])
    for entry in steady(view.loops.prefix(Self.mostLoops), view, by: \.loop.id) {
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
      .longName("timer"), .name("loop").leaving(2), .figure("dropped"), .figure("fired").leaving(1),
      .figure("worst lateness").leaving(3),
    ])
    for entry in steady(view.timers.prefix(Self.mostTimers), view, by: \.timer.id) {
      table.rows.append([
        Table.Cell(DisplayText.name(entry.timer.title)), Table.Cell(DisplayText.name(entry.timer.loopName)),
        Table.Cell(Figure.count(entry.droppedNow), tone: .notice), Table.Cell(Figure.count(entry.firedNow)),
        Table.Cell(Figure.duration(entry.timer.worst)),
      ])
    }
    return table
  }

  /// Of the last stalls' columns the mark of the chosen one, and the mode, which says nothing of a lane without modes.
  private static let (markColumn, modeColumn) = (0, 4)

  private func last(_ reading: LiveReading, chosen: Int64?) -> Table {
    var table = Table(columns: [
      .word(""), .figure("id"), .figure("duration"), .name("loop"), .name("mode").leaving(1), .word("cause").leaving(2),
      .longName("what held the loop"),
    ])
    for listed in reading.last {
      let stall = listed.stall
      table.rows.append([
        Table.Cell(stall.id == chosen ? "→" : ""), "\(stall.id)",
        Table.Cell(Figure.duration(stall.duration), tone: SeverityTone.tone(stall.severity)),
        Table.Cell(DisplayText.name(listed.loopName)),
        Table.Cell(listed.loopKind.hasModes ? DisplayText.name(stall.mode) : ""),
        Table.Cell(CauseWords.short(stall.cause)),
        Table.Cell(listed.analysis?.sentence ?? Figure.unknown),
      ])
    }
    if !reading.last.contains(where: \.loopKind.hasModes) {
      table = table.without(Self.modeColumn..<Self.modeColumn + 1)
    }
    return chosen == nil ? table.without(Self.markColumn..<Self.markColumn + 1) : table
  }

  private func cut(_ text: String) -> String { DisplayText.cut(DisplayText.harmless(text), to: style.width) }
}
