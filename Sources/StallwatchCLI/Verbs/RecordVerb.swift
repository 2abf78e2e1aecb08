import ArgumentParser
import StallwatchCore
import StallwatchFormats
import StallwatchReport
import StallwatchStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// `stallwatch record -- PROGRAM ARGS…`: runs a program under the monitor.
struct RecordVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Runs an unmodified program and watches its run loops.",
    usage: """
      stallwatch record [-o <file>] [--threshold <duration>] [--sample-every <duration>] \
      [--drift-interval <duration>|off] [--profile <hz>] [--quiet] -- <program> [<argument> ...]
      """,
    discussion: """
      The program keeps its stdin, stdout, stderr, terminal and signals. 'record' also watches the programs that it \
      starts. 'record' exits with the program's status: 128 + n if signal n ended it, 127 if it is not found, 126 if \
      it cannot be run.

      Examples:

        stallwatch record -o app.stallwatch -- ./App --some-option
        stallwatch record --profile 200 -- ./App
        stallwatch record -- swift test
      """)

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The store to add the sessions to.",
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
    if command.isEmpty { throw ValidationError("There is no program to record: give one after '--'.") }
  }

  func run() throws {
    let recording = Recording(command: CString.lastArguments(command.count), output: output, monitor: monitor)
    let outcome = try recording.run()
    if !quiet, !outcome.sessions.isEmpty { summarise(outcome.file) }
    throw ExitCode(outcome.end.exitCode)
  }

  /// Prints one screen on stderr. Only reports errors: the program's own status counts.
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
