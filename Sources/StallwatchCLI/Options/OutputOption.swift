import ArgumentParser
import StallwatchFormats
import StallwatchLibc

/// The destination of a verb's answer.
struct OutputOption: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write to this file instead of stdout, replacing it atomically.", valueName: "file"),
    completion: .file())
  var path: String?

  /// How text looks at its destination.
  var style: TerminalStyle { path == nil ? Terminal.style(for: STDOUT_FILENO) : TerminalStyle() }

  /// Whether the answer goes to a terminal.
  var isTerminal: Bool { path == nil && isatty(STDOUT_FILENO) != 0 }
}
