import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch timers`: the timers with their late and dropped fires, and the drift.
struct TimersVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timers",
    abstract: "Shows every timer's fires, dropped fires and lateness, and each loop's lateness beside a GCD timer's.",
    discussion: """
      A due time that no callout served is a dropped fire. The reason is a stall, the timer's own callout, or a run of \
      the loop in a mode that the timer is not in. Drift separates the loop's lateness from the machine's. JSON has \
      the schema stallwatch.timers/1.

      Examples:

        stallwatch timers session.stallwatch
        stallwatch timers session.stallwatch --format json -o timers.json
        stallwatch timers session.stallwatch --session 2 --loop main
      """)

  @OptionGroup var input: StoreArgument

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @Option(help: "The output format.")
  var format: ListFormat = .text

  @OptionGroup var output: OutputOption

  func run() throws {
    let reading = try StoreReading(filter, symbols)
    let builder = ReportBuilder(search: reading.search)
    let report = try ReadingProgress.reading { try builder.timers(from: $0.open(input.store, reading)) }
    reading.noteUnmatchedNames()
    try OutputDestination.write(to: output.path, reading: input.store) { sink in
      switch format {
      case .text: try sink(TimersTextRenderer(style: output.style).render(report))
      case .json: try TimersJSONRenderer().render(report, into: sink)
      }
    }
  }
}
