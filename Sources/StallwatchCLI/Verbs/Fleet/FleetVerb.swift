import ArgumentParser

/// `stallwatch fleet`: what many programs on many machines do.
struct FleetVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Asks many programs on many machines at once.",
    discussion: """
      A fleet is a folder of stores, or a ClickHouse to which 'stallwatch ship' sends. Both give the same answers.

      Examples:

        stallwatch fleet report --from stores/
        stallwatch fleet causes --from https://reader@clickhouse:8443/stallwatch --service feed --last 7d
        stallwatch fleet diff --from stores/ --base 1.0 --new 2.0
        stallwatch fleet migrate --to https://admin@clickhouse:8443/stallwatch --password-file secret
      """,
    subcommands: [
      FleetReportVerb.self, FleetCausesVerb.self, FleetCauseVerb.self, FleetDiffVerb.self, FleetCheckVerb.self,
      FleetMigrateVerb.self,
    ])
}
