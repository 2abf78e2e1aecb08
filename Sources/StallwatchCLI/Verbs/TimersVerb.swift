import ArgumentParser
import StallwatchReport
import StallwatchStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// `stallwatch timers`: the ledger of late and dropped fires, and the drift.
struct TimersVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timers",
    abstract: "Shows what became of every timer's due times, and how late the loops were beside a GCD timer.",
    discussion: """
      A due time that no callout served was dropped: by a stall, by the timer's own callout, or because the loop ran in \
      a mode that the timer is not in. Drift tells the loop's lateness from the machine's. JSON has the schema \
      stallwatch.timers/1.

      Examples:

        stallwatch timers session.stallwatch
        stallwatch timers session.stallwatch --format json -o timers.json
      """)

  @OptionGroup var input: StoreArgument

  @OptionGroup var symbols: SymbolsOption

  @Option(help: "The form of the answer.")
  var format: ListFormat = .text

  @OptionGroup var output: OutputOption

  func run() throws {
    let builder = ReportBuilder(search: try symbols.search())
    let report = try StoreReader.undisturbed { try builder.timers(from: StoreReader(path: input.store)) }
    let style = output.path == nil ? Terminal.style(for: STDOUT_FILENO) : TerminalStyle()
    try OutputDestination.write(to: output.path, reading: input.store) { sink in
      switch format {
      case .text: try sink(TimersTextRenderer(style: style).render(report))
      case .json: try TimersJSONRenderer().render(report, into: sink)
      }
    }
  }
}
