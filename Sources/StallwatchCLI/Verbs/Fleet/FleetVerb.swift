import ArgumentParser

/// `stallwatch fleet`: what many programs say together.
struct FleetVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Asks many programs at once, through ClickHouse.",
    discussion: """
      'ship' delivers stores to ClickHouse; these ask it.

      Example:

        stallwatch fleet migrate --to https://admin@db.example.org:8443/fleet --password-file secret
      """,
    subcommands: [FleetMigrateVerb.self])
}
