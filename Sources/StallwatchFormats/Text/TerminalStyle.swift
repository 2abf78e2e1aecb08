import StallwatchReport

/// The width and colours of text on a terminal.
package struct TerminalStyle: Sendable {
  /// The widest line. Default 100 columns.
  package var width = 100
  /// Whether to use ANSI colours; no meaning depends on them. Default off: the caller knows whether a person reads.
  package var isColoured = false

  /// The defaults: 100 columns, no colour.
  package init() {}

  /// `text` in the colours of `tone`. Apply after layout, because escape sequences have no width.
  package func paint(_ text: String, _ tone: Table.Tone) -> String {
    guard isColoured, !text.isEmpty, let code = code(tone) else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  private func code(_ tone: Table.Tone) -> String? {
    switch tone {
    case .plain: nil
    case .faint: "2"
    case .heading: "1"
    case .notice: "33"
    case .alarm: "1;31"
    }
  }
}
