import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch demo`: records a program with known stalls and reports on it.
struct DemoVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Records the bundled workload and reports on it.",
    discussion: """
      The workload holds its own run loops by a plan, so the report shows stalls of many kinds. 'demo' keeps the store.

      Example:

        stallwatch demo --seconds 5
      """)

  /// How many stalls per second the workload makes over all its loops, with its default durations and pauses; measured.
  private static let stallsPerSecond = 5

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The store to add the session to.",
      discussion: "Default: stallwatch-workload-YYYYMMDD-HHMMSS.stallwatch in the working directory.", valueName: "file"
    ),
    completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("The approximate recording time.", valueName: "seconds"))
  var seconds = 10

  func validate() throws {
    guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds must be from 1 to 3600.") }
  }

  func run() throws {
    let workload = try MonitorLibraries.program("stallwatch-workload")
    let command = [workload, "--stalls", String(seconds * Self.stallsPerSecond)]
    if StandardError.isTerminal { StandardError.print("stallwatch: recording for about \(seconds) seconds") }
    let (monitor, labels) = (try MonitorOptions.parse([]), try LabelOptions.parse([]))
    let outcome = try Recording(command: command.map { CString($0) }, output: output, monitor: monitor, labels: labels)
      .run()
    guard outcome.end == .exited(0) else {
      throw Failure(.unable, "the workload ended with exit code \(outcome.end.exitCode) instead of 0; try again")
    }
    guard !outcome.sessions.isEmpty else { throw ExitCode(Failure.Status.unable.rawValue) }
    let report = try ReadingProgress.reading { try ReportBuilder().build(from: $0.open(outcome.file.path)) }
    try OutputDestination.write(to: nil, reading: outcome.file.path) { sink in
      try sink(TextRenderer(style: Terminal.style(for: STDOUT_FILENO)).render(report))
    }
    StandardError.print("stallwatch: the recording is \(outcome.file.path)")
  }
}
