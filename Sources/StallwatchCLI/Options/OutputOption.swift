import ArgumentParser

/// The destination of a verb's answer.
struct OutputOption: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write to this file instead of stdout, replacing it atomically.", valueName: "file"),
    completion: .file())
  var path: String?
}
