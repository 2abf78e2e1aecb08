import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch show`: one stall in detail.
struct ShowVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows what held the loop in one stall: cause, lock owner, call tree, timeline.",
    discussion: """
      'report' and 'stalls' list the IDs. Function names come from the recorded binaries if these are still the same \
      builds; --symbols names other folders to search. JSON has the schema stallwatch.stall/1.

      Examples:

        stallwatch show session.stallwatch 12
        stallwatch show session.stallwatch 12 --symbols ./builds/1.4.2
        stallwatch show session.stallwatch 12 --format json
        stallwatch show session.stallwatch 12 --session 1
        stallwatch show session.stallwatch 0c5be1a2f0937d44:12
      """)

  @OptionGroup var input: StoreArgument

  @Argument(help: "The stall's ID; or as 'fleet cause' names it, SESSION:NUMBER.")
  var id: StallArgument

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @Option(help: "The output format.")
  var format: ListFormat = .text

  @OptionGroup var output: OutputOption

  func run() throws {
    let reading = try StoreReading(filter, symbols)
    let found = try ReadingProgress.reading {
      let store = try $0.open(input.store, reading)
      guard let row = try id.row(in: store) else { return StallDetail?.none }
      return try StallExaminer(store, search: reading.search).examine(row, merging: true)
    }
    reading.noteUnmatchedNames()
    guard let detail = found else {
      let among = reading.request.isEmpty ? "" : " among those that the options choose"
      throw Failure(
        .badInput, "\(input.store): there is no stall \(id)\(among); 'stallwatch stalls' lists all stalls")
    }
    try OutputDestination.write(to: output.path, reading: input.store) { sink in
      switch format {
      case .text: try sink(StallTextRenderer(style: output.style).render(detail))
      case .json: try StallJSONRenderer().render(detail, into: sink)
      }
    }
  }
}
