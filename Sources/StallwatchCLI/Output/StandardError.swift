import StallwatchLibc
import StallwatchReport

/// Lines for the person at the terminal: errors, progress, the summary of a recording.
enum StandardError {
  /// Writes `text` and a line break, without anything that a terminal acts on. Ignores a closed stderr.
  static func print(_ text: String) { show(DisplayText.harmless(text)) }

  /// Writes a page from a renderer, with its colours, and a line break.
  static func show(_ page: String) { try? FileDescriptorOutput.write(page + "\n", to: STDERR_FILENO) }

  /// Replaces the terminal's current line with `text` (carriage return, then erase to the line's end).
  static func replaceLine(_ text: String) {
    try? FileDescriptorOutput.write("\r\u{1B}[K" + text, to: STDERR_FILENO)
  }

  /// Whether stderr is a terminal.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}
