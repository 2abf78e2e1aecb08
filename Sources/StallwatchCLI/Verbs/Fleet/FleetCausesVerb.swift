import ArgumentParser
import StallwatchFleet

/// `stallwatch fleet causes`: all causes, with how each stands.
struct FleetCausesVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "causes",
    abstract: "Lists the causes of a fleet's stalls: how many instances each hits, since when, and how it stands.",
    discussion: """
      A cause is new where only the newest release has it, regressed where it is back after a release without it, and gone \
      where the newest release is without it; all others are known. A release counts as one without a cause only where its \
      hours of use would have shown three stalls of it. Releases are in the order in which they were first seen.

      Examples:

        stallwatch fleet causes --from stores/
        stallwatch fleet causes --from stores/ --environment production --format json
      """)

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var symbols: SymbolsOption
  @OptionGroup var output: FleetOutput

  func run() throws {
    let causes = try fleet.ask(symbols.search()) { FleetCauses(try $0.summary($1)) }
    try output.write(causes.document, reading: fleet.paths())
  }
}
