import ArgumentParser
import StallwatchCore
import StallwatchFleet

/// `stallwatch fleet migrate`: makes a fleet's tables.
struct FleetMigrateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Makes the fleet's tables in ClickHouse, or brings them up to date.",
    discussion: """
      Makes the database and the tables that 'ship' fills, and changes those of an earlier Stallwatch. You can repeat \
      it: what is there stays. Tables of a newer Stallwatch are refused. ClickHouse must be 18.16 or later.

      With --cluster, each shard has its part of the rows, and tables over all of them are what everybody asks. The \
      cluster is one of the servers' configuration (remote_servers). One server passes the statements on to the others \
      (ON CLUSTER), for which ClickHouse needs a Keeper; without one, name every server by its own --to.

      With --replicated, the replicas of a shard keep each other's rows: for a cluster with a Keeper, whose servers have \
      the macros {shard} and {replica}.

      With --keep, servers remove rows of that age, a week or a month at a time; names stay. It takes ClickHouse 19.6 \
      or later. Repeat it with another age to change that.

      Examples:

        stallwatch fleet migrate --to http://localhost:8123
        stallwatch fleet migrate --to https://admin@db.example.org:8443/fleet --password-file secret --keep 90d
        stallwatch fleet migrate --to http://db1:8123 --to http://db2:8123 --cluster main
        stallwatch fleet migrate --to http://localhost:8123 --dry-run
      """)

  @Option(
    help: ArgumentHelp(
      "The server: https://user@host:8443/database. Repeat it for servers of a cluster without a Keeper.",
      valueName: "url"))
  var to: [String]

  @OptionGroup var server: ServerOptions

  @Option(help: ArgumentHelp("Spread rows over the shards of this cluster.", valueName: "name"))
  var cluster: String?

  @Flag(help: "With --cluster: have the replicas of a shard keep each other's rows.")
  var replicated = false

  @Option(
    help: ArgumentHelp("Remove rows older than this, 1d or more.", valueName: "duration"), transform: Self.days)
  var keep: Int?

  @Flag(help: "Print the statements for each server, and ask none.")
  var dryRun = false

  @Sendable
  private static func days(_ text: String) throws -> Int {
    let day = 24 * 60 * 60 * Nanoseconds.second
    guard let age = DurationNotation.parse(text), age >= day, age % day == 0, age / day <= 36_500 else {
      throw ValidationError("it must be a number of days, like 90d")
    }
    return Int(age / day)
  }

  func validate() throws {
    guard !replicated || cluster != nil else {
      throw ValidationError("--replicated is about the shards of a cluster: name it by --cluster.")
    }
  }

  func run() throws {
    let schema = try FleetSchema(on: to.map(server.server), cluster: cluster, isReplicated: replicated)
    let (keep, isRehearsal) = (keep, dryRun)
    if isRehearsal {
      let statements = schema.statements(keepingDays: keep)
      return try OutputDestination.writeToStandardOutput { sink in
        for statement in statements { try sink(statement + ";\n\n") }
      }
    }
    let new = try awaited { try await schema.migrate(keepingDays: keep) }
    let names = new.map { "\($0.number) (\($0.name))" }.joined(separator: ", ")
    let done = new.isEmpty ? "the tables were there: schema \(FleetSchema.current)" : "migrated to \(names)"
    try OutputDestination.writeToStandardOutput {
      try $0(done + (keep.map { "; rows go after \($0) days" } ?? "") + "\n")
    }
  }
}
