import StallwatchLibc

/// Brings the tables of servers to the schema that this program knows.
package struct FleetSchema: Sendable {
  /// One for each server that gets every statement; more than one only with a cluster.
  private let clients: [ClickHouseClient]
  private let place: TablePlace

  /// The table of what was applied.
  private static let historyTable = "schema_migrations"
  private static let history = Migration(
    0, "history",
    """
    -- shard by version
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version UInt32,
      name String,
      applied DateTime('UTC')
    ) ENGINE = ReplacingMergeTree(applied)
    ORDER BY version;
    """)

  /// The tables on `servers`. Several are servers of one cluster, and each gets every statement. One with a cluster
  /// passes on what it gets, for which it needs a keeper.
  package init(on servers: [ClickHouseServer], cluster: String? = nil, isReplicated: Bool = false) throws {
    guard let first = servers.first else { throw ClickHouseError.unusable("no server was named") }
    guard servers.count == 1 || cluster != nil else {
      throw ClickHouseError.unusable("several servers share tables only as a cluster: name it by --cluster")
    }
    guard servers.allSatisfy({ $0.database == first.database }) else {
      throw ClickHouseError.unusable("the servers' URLs must name the same database")
    }
    clients = servers.map { ClickHouseClient($0) }
    place = TablePlace(
      database: first.database, cluster: cluster, passesOn: servers.count == 1, isReplicated: isReplicated)
  }

  /// The number of the last migration that this program knows.
  package static var current: Int { Migration.all.map(\.number).max() ?? 0 }

  /// Every statement that ``migrate(keepingDays:)`` would run on each server of today; older ones get them adapted.
  package func statements(keepingDays days: Int? = nil) -> [String] {
    ["CREATE DATABASE IF NOT EXISTS \(SQLText.name(place.database))\(place.clause)"]
      + ([Self.history] + Migration.all).flatMap { $0.statements(for: place) }
      + (days.map { Migration.ageing(days: $0, in: place) } ?? [])
  }

  /// Makes what is missing, and returns the migrations that were not there before. With `days`, servers remove rows that
  /// are older; those that have no way to do so are refused before anything is changed, as are tables of a newer schema.
  package func migrate(keepingDays days: Int? = nil) async throws -> [Migration] {
    for client in clients {
      let facts = try await client.facts(inDatabase: false)
      if days != nil, !facts.removesByAge {
        throw ClickHouseError.unusable(
          "\(client.server.address): version \(facts.version) cannot remove rows by their age, which 19.6 and later can; "
            + "leave --keep out, and drop old partitions: ALTER TABLE \(place.own("stalls")) DROP PARTITION '2026-01-05'"
        )
      }
      try await client.run(statements()[0], inDatabase: false)
    }
    for client in clients {
      for statement in Self.history.statements(for: place) { try await client.run(statement) }
    }
    let there = try await Self.version(clients[0])
    try Self.refuseNewer(there, of: clients[0])
    for client in clients {
      let facts = try await client.facts()
      for statement in Migration.all.flatMap({ $0.statements(for: place) }) {
        try await client.run(facts.adapted(statement))
      }
      if let days {
        for statement in Migration.ageing(days: days, in: place) { try await client.run(statement) }
      }
    }
    let new = Migration.all.filter { $0.number > there }
    for migration in new { try await note(migration) }
    return new
  }

  private func note(_ migration: Migration) async throws {
    var encoder = RowEncoder()
    encoder.put(UInt32(migration.number))
    encoder.put(migration.name)
    encoder.put(UInt32(clamping: time(nil)))
    try await clients[0].insert(
      table: Self.historyTable, columns: ["version", "name", "applied"], rows: encoder.bytes,
      batch: "migration \(migration.number) \(migration.name)")
  }

  /// Throws ``ClickHouseError`` where the tables are missing, older than what this program writes and reads, or newer.
  package static func require(_ client: ClickHouseClient) async throws {
    let there = try await version(client)
    try refuseNewer(there, of: client)
    guard there == current else {
      throw ClickHouseError.unusable(
        "\(client.server.address): has tables of schema \(there), and this program needs \(current); run "
          + "'stallwatch fleet migrate'")
    }
  }

  private static func version(_ client: ClickHouseClient) async throws -> Int {
    let rows = try await client.rows("SELECT max(version) AS version FROM \(historyTable)")
    return Int(clamping: try rows.first?.unsigned("version") ?? 0)
  }

  private static func refuseNewer(_ version: Int, of client: ClickHouseClient) throws {
    guard version > current else { return }
    throw ClickHouseError.unusable(
      "\(client.server.address): has tables of schema \(version), and this program knows none newer than \(current); "
        + "use a newer stallwatch")
  }
}
