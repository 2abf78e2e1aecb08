import ArgumentParser
import StallwatchCore
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch record PROGRAM ARGS…`: runs a program under the monitor.
struct RecordVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Runs an unmodified program and watches its run loops.",
    usage: """
      stallwatch record [-o <file>] [--threshold <duration>] [--sample-every <duration>|off] \
      [--drift-interval <duration>|off] [--profile <hz>] [--keep <age,size>|all] [--service <name>] \
      [--release <version>] [--environment <name>] [--instance <name>] [--tag <name=value>] [--no-names] [--quiet] \
      [--] <program> [<argument> ...]
      """,
    discussion: """
      The program keeps its stdin, stdout, stderr, terminal and signals. 'record' also watches the programs that it \
      starts. 'record' exits with the program's status: 128 + n if signal n ended it, 127 if it is not found, 126 if \
      it cannot be run.

      When the program has ended, 'record' writes the names of the functions that were seen into the store, so that it \
      can be read where the program's files are not.

      All that follows the program goes to the program. '--' is only needed before one whose name begins with '-'.

      Examples:

        stallwatch record ./App --some-option
        stallwatch record --keep 7d,64MB -o service.stallwatch ./Service
        stallwatch record -o app.stallwatch --profile 200 ./App
        stallwatch record --release 4.2.0 --environment staging --tag region=eu ./Service
        stallwatch record swift test
      """)

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The store to add the sessions to.",
      discussion: "Default: PROGRAM-YYYYMMDD-HHMMSS.stallwatch in the working directory.", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var monitor: MonitorOptions
  @OptionGroup var labels: LabelOptions

  @Flag(
    name: .customLong("no-names"),
    help: ArgumentHelp(
      """
      Leave the names of functions out of the store. 'record' then ends at once, however large the program is; \
      'symbolize' can write them later, while the same files are there.
      """))
  var withoutNames = false

  @Flag(help: "Print no summary at the end.")
  var quiet = false

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The program and its arguments.", valueName: "command"))
  var command: [String] = []

  /// The number of arguments that name the program and go to it. The first '--' is not one of them.
  private var length: Int { command.first == "--" ? command.count - 1 : command.count }

  func validate() throws {
    guard length > 0 else { throw ValidationError("There is no program to record: name it after the options.") }
    // The parser also leaves to the program what looks like an option and is none of ours.
    guard let first = command.first, first != "--", first.hasPrefix("-") else { return }
    switch first {
    case "-h", "--help": throw CleanExit.helpRequest(self)
    case "--version": throw CleanExit.message(Version.current)
    default:
      let options = Self.helpMessage().matches(of: /--[a-z][a-z-]+/).map { String($0.output) }
      let name = String(first.prefix { $0 != "=" })
      throw ValidationError("Unknown option '\(name)'.\(Suggestion.question(for: name, among: options))")
    }
  }

  func run() throws {
    var recording = Recording(command: CString.lastArguments(length), output: output, monitor: monitor, labels: labels)
    recording.withNames = !withoutNames
    let outcome = try recording.run()
    if !quiet, !outcome.sessions.isEmpty { summarise(outcome.file) }
    throw ExitCode(outcome.end.exitCode)
  }

  /// Prints one screen on stderr. Only reports errors: the program's own status counts.
  private func summarise(_ file: RecordingFile) {
    do {
      let report = try ReadingProgress.reading { try ReportBuilder().build(from: $0.open(file.path)) }
      let summary = SummaryRenderer(style: Terminal.style(for: STDERR_FILENO)).render(report, store: file.name)
      StandardError.show(String(summary.dropLast()))
    } catch {
      StandardError.print("stallwatch: \(file.name) cannot be read: \(error)")
    }
  }
}
