import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch report`: the whole report on a store.
struct ReportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Reports what held a recording's run loops, for how long and where.",
    discussion: """
      The text begins with a verdict. It then shows responsiveness by loop and mode, phases, the worst stalls and \
      their causes, what kept profiled loops busy, excluded and unobserved time, and what the monitor itself cost. \
      JSON has the schema stallwatch.report/1. HTML is one self-contained page with a timeline of all loops and flame \
      graphs of the causes.

      Examples:

        stallwatch report session.stallwatch
        stallwatch report session.stallwatch --frame-budget 8.333ms
        stallwatch report session.stallwatch --format markdown -o report.md
        stallwatch report session.stallwatch --format html -o report.html
        stallwatch report session.stallwatch --symbols ./builds/1.4.2
        stallwatch report session.stallwatch --since 14:05 --until 14:10 --loop main
      """)

  @OptionGroup var input: StoreArgument

  @Option(help: "The output format.")
  var format: ReportFormat = .text

  @OptionGroup var output: OutputOption

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @Option(
    help: ArgumentHelp("Time by which a span exceeds this is jank.", valueName: "duration"),
    transform: DurationArgument.parse)
  var frameBudget = DurationArgument(ReportConfiguration().frameBudget)

  func validate() throws {
    guard frameBudget.nanoseconds > 0 else { throw ValidationError("--frame-budget must be longer than 0.") }
  }

  func run() throws {
    if format == .html { return try writePage() }
    var configuration = ReportConfiguration()
    configuration.frameBudget = frameBudget.nanoseconds
    let report = try read(configuration)
    try OutputDestination.write(to: output.path, reading: input.store) { sink in
      switch format {
      case .text: try sink(TextRenderer(configuration: configuration, style: output.style).render(report))
      case .json: try JSONRenderer().render(report, into: sink)
      case .markdown: try sink(MarkdownRenderer(configuration: configuration).render(report))
      case .html: break
      }
    }
  }

  private func writePage() throws {
    var configuration = PageConfiguration()
    configuration.report.frameBudget = frameBudget.nanoseconds
    let reading = try StoreReading(filter, symbols)
    let builder = PageBuilder(configuration: configuration, search: reading.search)
    let page = try ReadingProgress.reading {
      try builder.build(from: $0.open(input.store, reading), store: input.store)
    }
    defer { reading.noteUnmatchedNames() }
    try OutputDestination.write(to: output.path, reading: input.store) { sink in
      try HTMLRenderer(configuration: configuration.report).render(page, into: sink)
    }
  }

  private func read(_ configuration: ReportConfiguration) throws -> Report {
    let reading = try StoreReading(filter, symbols)
    let builder = ReportBuilder(configuration: configuration, search: reading.search)
    defer { reading.noteUnmatchedNames() }
    return try ReadingProgress.reading { try builder.build(from: $0.open(input.store, reading)) }
  }
}
