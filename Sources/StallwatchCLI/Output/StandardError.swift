#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lines for the person at the terminal: errors, progress, the summary of a recording.
enum StandardError {
  /// Writes `text` and a line break. A closed stderr is no reason to fail.
  static func print(_ text: String) {
    try? FileDescriptorOutput.write(text + "\n", to: STDERR_FILENO)
  }

  /// Whether a person looks at it.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}
