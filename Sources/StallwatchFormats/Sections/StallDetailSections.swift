import StallwatchCore
import StallwatchReport

/// One stall as sections of a text.
enum StallDetailSections {
  /// The most functions of the lock's owner to show, leaf first.
  private static let ownerFrames = 12
  /// The most timers to show.
  private static let shownTimers = 12

  /// The sections below the verdict, `width` columns wide, with at most `calls` functions of the call tree.
  static func all(of detail: StallDetail, width: Int, calls: Int) -> [ReportSection] {
    var sections = [about(detail)]
    if !detail.samples.isEmpty { sections.append(cause(detail, width: width)) }
    if !detail.ownerFrames.isEmpty { sections.append(owner(detail)) }
    if !detail.timers.isEmpty { sections.append(timers(detail)) }
    if !detail.tree.roots.isEmpty { sections.append(tree(detail, rows: calls)) }
    if !detail.symbolNotes.isEmpty {
      sections.append(ReportSection(title: "Symbols", paragraphs: detail.symbolNotes.map(\.text)))
    }
    return sections
  }

  private static func about(_ detail: StallDetail) -> ReportSection {
    let (listed, stall) = (detail.listed, detail.listed.stall)
    var table = Table(columns: [.name(""), .name("")])
    func row(_ name: String, _ value: String?) {
      table.rows.append([Table.Cell(name, tone: .faint), Table.Cell(value ?? Figure.unknown)])
    }
    row("severity", stall.sortName)
    row("began", listed.startedAt.map { Timestamp.readable($0) })
    row("in session", "#\(stall.session)" + (listed.offset.map { ", after \(Figure.duration($0))" } ?? ""))
    row("known after", Figure.duration(stall.detectedAfter))
    if let callout = listed.analysis?.callout { row("callout", callout.rawValue) }
    if let signature = listed.analysis?.signature { row("signature", "\(signature.key)  \(signature.title)") }
    if let waiter = detail.waiter {
      row("waited", waiter.label + (waiter.location.map { "  \($0.label)" } ?? ""))
    }
    for (name, value) in stall.began.annotations.sorted(by: { $0.key < $1.key }) { row(name, value) }
    return ReportSection(title: "Stall \(stall.id)", table: table)
  }

  private static func cause(_ detail: StallDetail, width: Int) -> ReportSection {
    let (analysis, stall) = (detail.listed.analysis, detail.listed.stall)
    var paragraphs = ["\(CauseWords.split(stall.cause)), in \(Figure.count(detail.samples.count, "sample"))."]
    let unread = detail.samples.map(\.sample).filter(\.frames.isEmpty)
    if !unread.isEmpty {
      let time = Figure.duration(unread.map(\.weight).saturatingSum())
      paragraphs.append("In \(Figure.count(unread.count)) of them, for \(time), the stack could not be read.")
    }
    if let blockedOn = analysis?.blockedOn {
      let time = Figure.duration(analysis?.blockedOnTime)
      paragraphs.append("Blocked on \(CauseWords.blockedOn(blockedOn)) for \(time).")
    }
    var section = ReportSection(title: "Cause", paragraphs: paragraphs)
    let recorded = detail.samples.map(\.sample)
    let timeline = SampleTimeline(recorded, start: stall.began.startedNs, duration: stall.duration, width: width - 20)
    if let timeline {
      section.paragraphs.append(timeline.text)
      section.notes = ["One letter stands for \(Figure.duration(timeline.slice)): \(SampleTimeline.legend)."]
    }
    return section
  }

  private static func owner(_ detail: StallDetail) -> ReportSection {
    let owner = detail.listed.analysis?.blockedOn?.owner
    var table = Table(columns: [.name("function"), .name("source")])
    for frame in detail.ownerFrames.filter({ !$0.isGlue }).prefix(ownerFrames) {
      table.rows.append([
        Table.Cell(frame.label, tone: frame.isSystem ? .faint : .plain),
        Table.Cell(frame.location?.label ?? frame.imageName ?? ""),
      ])
    }
    let name = owner.map { "\(DisplayText.name($0.name)) (\($0.threadID))" } ?? Figure.unknown
    return ReportSection(title: "Who held the lock", paragraphs: ["The thread \(name), in:"], table: table)
  }

  private static func timers(_ detail: StallDetail) -> ReportSection {
    var table = Table(columns: [.name("timer"), .figure("late"), .figure("dropped"), .figure("worst lateness")])
    for (title, hurt) in detail.timers.prefix(shownTimers) {
      table.rows.append([
        Table.Cell(title), Table.Cell(Figure.times(hurt.late)), Table.Cell(Figure.count(hurt.dropped)),
        Table.Cell(Figure.duration(hurt.worstLateness)),
      ])
    }
    let rest = detail.timers.count - table.rows.count
    return ReportSection(
      title: "Timers it delayed", table: table,
      notes: rest > 0 ? ["and \(Figure.count(rest)) more: '--format json' lists all."] : [])
  }

  private static func tree(_ detail: StallDetail, rows: Int) -> ReportSection {
    let (table, left) = CallTreeTable.table(detail.tree, rows: rows)
    let rest = left > 0 ? ["and \(Figure.count(left)) lighter calls: '--format json' lists all."] : []
    return ReportSection(title: "Where the watched time went", table: table, notes: rest)
  }
}
