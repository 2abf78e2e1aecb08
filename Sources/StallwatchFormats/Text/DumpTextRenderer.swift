import StallwatchCore
import StallwatchReport
import StallwatchSymbols

/// A dump of a process for a person at a terminal: deadlocks first, then each thread with its stack. Threads that do the
/// same are shown as one.
package struct DumpTextRenderer: Sendable {
  private var style: TerminalStyle
  /// The most names of threads that are shown as one.
  private static let mostNames = 8

  package init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// The dump as text, ending in a line break. Stacks are not cut to the style's width: names are there to be copied.
  package func render(_ report: DumpReport) -> String {
    var lines = wrap(DumpWords.title(report)).map { style.paint($0, .heading) }
    lines.append(style.paint(Timestamp.readable(report.dump.takenAt), .faint))
    for gap in report.dump.gaps { lines += [""] + wrap("note: \(gap)").map { style.paint($0, .notice) } }
    for deadlock in report.deadlocks {
      lines += ["", style.paint("DEADLOCK", .alarm)]
      lines += DumpWords.deadlock(deadlock, in: report).flatMap { indented($0, by: 2) }
    }
    if report.hasUnservedMainQueue == true {
      lines += [""] + wrap(DumpWords.unservedMainQueue).map { style.paint($0, .alarm) }
    }
    if let recorded = report.recorded {
      lines += [""] + wrap("recorded in \(DisplayText.name(recorded.store))").map { style.paint($0, .heading) }
      lines += DumpWords.lanes(recorded).flatMap { indented($0, by: 4) }
    }
    for group in report.groups {
      lines += [""] + wrap(title(group, in: report), indent: "  ").map { style.paint($0, .heading) }
      lines += stack(group[0])
    }
    if !report.symbolNotes.isEmpty { lines.append("") }
    lines += report.symbolNotes.flatMap { wrap(DisplayText.harmless($0.text)) }.map { style.paint($0, .faint) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func wrap(_ text: String, indent: String = "") -> [String] {
    DisplayText.wrap(text, to: style.width, indent: indent, cutsWords: false)
  }

  private func indented(_ text: String, by columns: Int) -> [String] {
    DisplayText.wrap(text, to: style.width - columns, indent: "  ", cutsWords: false).map {
      String(repeating: " ", count: columns) + $0
    }
  }

  private func title(_ group: [DumpReport.Thread], in report: DumpReport) -> String {
    let first = group[0]
    let doing = DumpWords.doing(first.read, in: report)
    guard group.count > 1 else {
      return "\(DumpWords.label(first.read)), \(doing)" + (cpu(first).map { ", \($0)" } ?? "")
    }
    let names = group.prefix(Self.mostNames).map { DumpWords.label($0.read) }
    let rest = group.count > names.count ? ["\(Figure.count(group.count - names.count)) more"] : []
    return "\(Figure.count(group.count)) threads, each \(doing): \(Figure.list(names + rest))"
  }

  private func cpu(_ thread: DumpReport.Thread) -> String? {
    if let load = thread.load { return "\(Figure.share(load)) of a processor" }
    return thread.read.cpu.map { "\(Figure.duration($0)) of CPU" }
  }

  private func stack(_ thread: DumpReport.Thread) -> [String] {
    guard !thread.frames.isEmpty else {
      return thread.read.withoutStack.map { [style.paint("    no stack: \($0)", .faint)] } ?? []
    }
    return thread.frames.map { style.paint("    \(DumpWords.place($0))", $0.isSystem ? .faint : .plain) }
  }
}
