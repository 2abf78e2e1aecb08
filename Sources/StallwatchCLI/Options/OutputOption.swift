import ArgumentParser

/// Where a verb's answer goes.
struct OutputOption: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write to this file instead of stdout; it is replaced in one step.", valueName: "file"),
    completion: .file())
  var path: String?
}
