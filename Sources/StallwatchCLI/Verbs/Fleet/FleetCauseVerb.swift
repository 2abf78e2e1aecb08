import ArgumentParser
import StallwatchFleet
import StallwatchReport

/// `stallwatch fleet cause`: one cause on all machines.
struct FleetCauseVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cause",
    abstract: "Shows one cause of a fleet's stalls: releases, instances, stacks, and ten stalls to look at.",
    discussion: """
      'fleet causes' lists the signatures. The page has the stacks as a flame graph. Examples come with the command that \
      opens them where their store is.

      Examples:

        stallwatch fleet cause 5f3a09c1d2e4 --from stores/
        stallwatch fleet cause 'Feed.decode(_:)' --from stores/ --format html -o cause.html
      """)

  @Argument(help: "The cause: its signature, or its title.")
  var signature: String

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var symbols: SymbolsOption
  @OptionGroup var output: FleetOutput

  func run() throws {
    let detail = try fleet.ask(symbols.search()) { source, filter in
      let fleet = try source.summary(filter)
      guard let detail = try FleetCauseDetail(signature, of: fleet, in: source) else {
        throw Failure(
          .badInput,
          String(describing: FilterError.unknown(what: "cause", name: signature, known: fleet.causes.map(\.title))))
      }
      return detail
    }
    try output.write(detail.document, reading: fleet.paths())
  }
}
