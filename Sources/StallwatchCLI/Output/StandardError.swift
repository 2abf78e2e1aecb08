import StallwatchReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lines for the person at the terminal: errors, progress, the summary of a recording.
enum StandardError {
  /// Writes `text` and a line break, without anything in it that a terminal acts on. A closed stderr is no reason to fail.
  static func print(_ text: String) { show(DisplayText.harmless(text)) }

  /// Writes a page that a renderer made, colours and all, and a line break.
  static func show(_ page: String) { try? FileDescriptorOutput.write(page + "\n", to: STDERR_FILENO) }

  /// Puts `text` in the place of the terminal's current line (carriage return, then erase to the line's end).
  static func replaceLine(_ text: String) {
    try? FileDescriptorOutput.write("\r\u{1B}[K" + text, to: STDERR_FILENO)
  }

  /// Whether a person looks at it.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}
