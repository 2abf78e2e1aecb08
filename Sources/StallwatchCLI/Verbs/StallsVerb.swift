import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch stalls`: lists every stall of a store.
struct StallsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stalls",
    abstract: "Lists every stall of a recording in order of start.",
    discussion: """
      The list includes congestion, times away, and cancelled rows: suspected stalls that proved false. The columns \
      tell them apart. JSON has the schema stallwatch.stalls/1, with one stall per line.

      Examples:

        stallwatch stalls session.stallwatch
        stallwatch stalls session.stallwatch --format json -o stalls.json
        stallwatch stalls session.stallwatch --last 10m --min-duration 250ms
      """)

  @OptionGroup var input: StoreArgument

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @Option(help: "The output format.")
  var format: ListFormat = .text

  @OptionGroup var output: OutputOption

  func run() throws {
    let progress = ReadingProgress(isShown: !output.isTerminal)
    defer { progress.end() }
    let reading = try StoreReading(filter, symbols)
    let lister = try StallLister(progress.open(input.store, reading), search: reading.search)
    defer { reading.noteUnmatchedNames() }
    try OutputDestination.write(to: output.path, reading: input.store) { sink in
      switch format {
      case .text: try StallsTextRenderer(style: output.style).render(lister, into: sink)
      case .json: try StallsJSONRenderer().render(lister, into: sink)
      }
    }
  }
}
