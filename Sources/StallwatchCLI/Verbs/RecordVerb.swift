import ArgumentParser
import StallwatchCore
import StallwatchReport
import StallwatchStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// `stallwatch record -- PROGRAM ARGS…`.
struct RecordVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Runs an unmodified program and watches its run loops.",
    usage: """
      stallwatch record [-o <file>] [--threshold <duration>] [--sample-every <duration>] \
      [--drift-interval <duration>|off] [--profile <hz>] [--quiet] -- <program> [<argument> ...]
      """,
    discussion: """
      The program keeps its stdin, stdout, stderr, terminal and signals. Programs that it starts are watched too. Its \
      exit status is ours: 128 + n for signal n, 127 if it is not found, 126 if it cannot be run.

      Examples:

        stallwatch record -o app.stallwatch -- ./App --some-option
        stallwatch record --profile 200 -- ./App
        stallwatch record -- swift test
      """)

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The store that the sessions are added to.",
      discussion: "Default: PROGRAM-YYYYMMDD-HHMMSS.stallwatch in the working directory.", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var monitor: MonitorOptions

  @Flag(help: "Print no summary at the end.")
  var quiet = false

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments, after '--'.", valueName: "command"))
  var command: [String]

  func validate() throws {
    if command.isEmpty { throw ValidationError("Missing the program to record: give it after '--'.") }
  }

  func run() throws {
    let recording = Recording(command: CString.lastArguments(command.count), output: output, monitor: monitor)
    let outcome = try recording.run()
    if !quiet, !outcome.sessions.isEmpty { summarise(outcome.file) }
    throw ExitCode(outcome.end.exitCode)
  }

  /// One screen on stderr. Trouble is told and no more: the program's own status counts.
  private func summarise(_ file: RecordingFile) {
    do {
      let report = try ReportBuilder().build(from: StoreReader(path: file.path))
      let summary = SummaryRenderer(style: Terminal.style(for: STDERR_FILENO)).render(report, store: file.name)
      StandardError.show(String(summary.dropLast()))
    } catch {
      StandardError.print("stallwatch: \(file.name) cannot be read: \(error)")
    }
  }
}
