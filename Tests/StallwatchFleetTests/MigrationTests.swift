import Testing

@testable import StallwatchFleet

@Suite("The tables of a fleet")
struct MigrationTests {
  private static let rows: [any FleetRow.Type] = [
    ActivityRow.self, StallRow.self, StackTimesRow.self, SessionRow.self, TimerRow.self, SignatureRow.self,
    StackRow.self,
  ]

  /// The names of a table's columns, those of nested ones with their place.
  private static func columns(of statement: Migration.Statement) -> [String] {
    statement.text.split(separator: "\n").filter { $0.hasPrefix("  ") }.flatMap { line -> [String] in
      let parts = line.split(separator: " ", maxSplits: 1)
      let name = String(parts[0])
      guard let nested = parts[1].wholeMatch(of: /Nested\((.*)\),?/)?.1 else { return [name] }
      return nested.split(separator: ",").map { "\(name).\($0.split(separator: " ")[0])" }
    }
  }

  @Test("are those of the rows, with just their columns", arguments: rows.indices)
  func columns(_ row: Int) throws {
    let statement = try #require(
      Migration.all.flatMap(\.statements).first { $0.table == Self.rows[row].table }, "\(Self.rows[row].table)")
    #expect(Self.columns(of: statement) == Self.rows[row].columns)
    #expect(statement.shardKey != nil)
  }

  @Test("are numbered from 1 on, and each statement may be run again")
  func numbers() {
    #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
    #expect(Migration.all.allSatisfy { !$0.statements.isEmpty })
    for statement in Migration.all.flatMap(\.statements) { #expect(statement.text.contains("IF NOT EXISTS")) }
    #expect(Migration.all[0].statements.count == Self.rows.count)
  }

  @Test("have plain texts where columns of few values are an experiment")
  func oldServer() {
    let today = ServerFacts(version: "24.3.1", settings: [])
    let old = ServerFacts(version: "18.16.1", settings: [])
    let statement = "CREATE TABLE t (a LowCardinality(String), b Nested(c LowCardinality(String)))"
    #expect(today.adapted(statement) == statement)
    #expect(old.adapted(statement) == "CREATE TABLE t (a String, b Nested(c String))")
  }

  private static let example = Migration(
    7, "example",
    """
    -- A comment.
    -- shard by cityHash64(a, b)
    -- age by at
    CREATE TABLE IF NOT EXISTS things (
      a String
    ) ENGINE = MergeTree
    ORDER BY a;

    -- Another.
    ALTER TABLE things ADD COLUMN IF NOT EXISTS b String;
    """)

  @Test("of a cluster are one for each shard and one over all, from the same statement")
  func cluster() {
    #expect(
      Self.example.statements(for: TablePlace(database: "d")) == [
        "CREATE TABLE IF NOT EXISTS things (\n  a String\n) ENGINE = MergeTree\nORDER BY a",
        "ALTER TABLE things ADD COLUMN IF NOT EXISTS b String",
      ])
    #expect(
      Self.example.statements(for: TablePlace(database: "d", cluster: "c", passesOn: true)) == [
        "CREATE TABLE IF NOT EXISTS `things_local` ON CLUSTER `c` (\n  a String\n) ENGINE = MergeTree\nORDER BY a",
        "CREATE TABLE IF NOT EXISTS `things` ON CLUSTER `c` AS `d`.`things_local`\n"
          + "ENGINE = Distributed(`c`, `d`, `things_local`, cityHash64(a, b))",
        "ALTER TABLE `things_local` ON CLUSTER `c` ADD COLUMN IF NOT EXISTS b String",
        "ALTER TABLE `things` ON CLUSTER `c` ADD COLUMN IF NOT EXISTS b String",
      ])
    let replicated = Migration.all[0].statements(for: TablePlace(database: "d", cluster: "c", isReplicated: true))
    #expect(
      replicated[0].contains(
        "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/d/activity', '{replica}', version)"))
    #expect(replicated.filter { $0.contains("Replicated") }.count == replicated.count / 2)
    let each = Self.example.statements(for: TablePlace(database: "d", cluster: "c"))
    #expect(each.count == 4 && each.allSatisfy { !$0.contains("ON CLUSTER") })
  }

  @Test("lose rows by their age, but no names")
  func age() {
    let statements = Migration.ageing(days: 90, in: TablePlace(database: "d", cluster: "c"))
    #expect(statements.contains("ALTER TABLE `stalls_local` MODIFY TTL at + INTERVAL 90 DAY"))
    #expect(statements.count == 10)
    #expect(!statements.contains { $0.contains("signatures") || $0.contains("stacks") })
  }

  @Test("of a newer schema are refused, and so are those that are missing")
  func newer() async throws {
    for (version, word) in [(FleetSchema.current + 1, "newer"), (0, "fleet migrate")] {
      let server = try ScriptedServer { _, request in
        let query = String(decoding: request.body, as: UTF8.self)
        if query.contains("max(version)") { return .clickHouse("version\nUInt32\n\(version)\n") }
        if query.contains("version()") { return .clickHouse("version\nString\n18.16.1\n") }
        return .clickHouse(query.hasPrefix("SELECT") ? "name\nString\n" : "")
      }
      let address = try ClickHouseServer(url: server.url)
      let error = await #expect(throws: ClickHouseError.self) {
        try await FleetSchema.require(ClickHouseClient(address))
      }
      #expect(error.map { "\($0)".contains(word) } == true)
      guard version > 0 else { continue }
      await #expect(throws: ClickHouseError.self) { try await FleetSchema(on: [address]).migrate() }
      #expect(!server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("stalls") })
    }
  }

  @Test("are not made by age where a server cannot")
  func ageOfOld() async throws {
    let server = try ScriptedServer { _, request in
      String(decoding: request.body, as: UTF8.self).contains("version()")
        ? .clickHouse("version\nString\n18.16.1\n") : .clickHouse("name\nString\n")
    }
    let error = await #expect(throws: ClickHouseError.self) {
      try await FleetSchema(on: [ClickHouseServer(url: server.url)]).migrate(keepingDays: 90)
    }
    #expect(error.map { "\($0)".contains("DROP PARTITION") } == true)
    #expect(server.requests.count == 2)
  }

  @Test("of several servers are those of one cluster")
  func severalServers() throws {
    let servers = try ["http://a/x", "http://b/x"].map { try ClickHouseServer(url: $0) }
    #expect(throws: ClickHouseError.self) { try FleetSchema(on: servers) }
    #expect(try FleetSchema(on: servers, cluster: "c").statements().allSatisfy { !$0.contains("ON CLUSTER") })
    #expect(throws: ClickHouseError.self) {
      try FleetSchema(on: [servers[0], ClickHouseServer(url: "http://b/y")], cluster: "c")
    }
  }
}
