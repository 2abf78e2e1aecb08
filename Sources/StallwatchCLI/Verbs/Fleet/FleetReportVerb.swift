import ArgumentParser
import StallwatchFleet

/// `stallwatch fleet report`: how much a fleet hangs, where, and because of what.
struct FleetReportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Reports how much a fleet hangs per hour of use, where, and because of what.",
    discussion: """
      The hang rate is seconds of stalls of 250 ms or more per hour of use, as in 'report', with the 95 % interval of a \
      ratio over instances. Use is the time for which main threads' lanes were watched; where there are none, or with \
      --lane, that of the loops. Times are whole hours. JSON has the schema stallwatch.fleet/1.

      Examples:

        stallwatch fleet report --from stores/
        stallwatch fleet report --from stores/ --release 2.0 --last 7d
        stallwatch fleet report --from https://reader@clickhouse:8443/stallwatch --service feed --format html -o fleet.html
      """)

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var symbols: SymbolsOption
  @OptionGroup var output: FleetOutput

  func run() throws {
    let report = try fleet.ask(symbols.search()) { FleetReport(try $0.summary($1)) }
    try output.write(report.document, reading: fleet.paths())
  }
}
