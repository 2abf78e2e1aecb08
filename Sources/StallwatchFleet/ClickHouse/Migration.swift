/// A numbered step of the tables' schema: a file of `Migrations/`, which holds statements for one server. For a cluster,
/// every statement is made into two, for the table of each shard and for the one over all of them.
///
/// Every statement may be run again, so all of them are at each `fleet migrate`: a server that joined since gets all tables.
package struct Migration: Sendable {
  package let number: Int
  /// Such as `rows`.
  package let name: String
  let statements: [Statement]

  /// A statement with what the comments before it say.
  struct Statement: Sendable, Equatable {
    var text: String
    /// The table that it makes or changes.
    var table: String
    /// By what rows are spread over shards; nil in a change.
    var shardKey: String?
    /// The time by which rows grow old; nil for what is kept.
    var age: String?
  }

  /// All of them, in order. Never changed once released.
  package static let all = [
    Migration(1, "rows", String(decoding: PackageResources._01_rows_sql, as: UTF8.self))
  ]

  /// A migration of a text. Statements begin with `CREATE TABLE IF NOT EXISTS name` or `ALTER TABLE name`, and end with a
  /// semicolon at a line's end.
  init(_ number: Int, _ name: String, _ text: String) {
    self.number = number
    self.name = name
    var (statements, lines, marks): ([Statement], [Substring], [String: String]) = ([], [], [:])
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("--") {
        for mark in ["shard", "age"] {
          guard let value = line.firstRange(of: "-- \(mark) by ")?.upperBound else { continue }
          marks[mark] = String(line[value...])
        }
        continue
      }
      lines.append(line)
      guard line.hasSuffix(";") else { continue }
      let statement = lines.joined(separator: "\n").dropLast()
      let table = statement.dropFirst(Self.beginning(of: statement).count).prefix { $0.isLetter || $0 == "_" }
      statements.append(
        Statement(text: String(statement), table: String(table), shardKey: marks["shard"], age: marks["age"]))
      (lines, marks) = ([], [:])
    }
    self.statements = statements
  }

  private static let create = "CREATE TABLE IF NOT EXISTS "
  private static let alter = "ALTER TABLE "

  private static func beginning(of statement: some StringProtocol) -> String {
    statement.hasPrefix(create) ? create : alter
  }

  /// What to run on a server.
  package func statements(for place: TablePlace) -> [String] {
    statements.flatMap { statement in
      guard let cluster = place.cluster else { return [statement.text] }
      let beginning = Self.beginning(of: statement.text)
      let rest = place.replicated(
        statement.table, String(statement.text.dropFirst(beginning.count + statement.table.count)))
      let everywhere = place.clause
      let (own, whole) = (place.own(statement.table), SQLText.name(statement.table))
      guard beginning == Self.create else {
        return [own, whole].map { "\(beginning)\($0)\(everywhere)\(rest)" }
      }
      // Other servers, to which a statement is passed on, look for a name without a database in their own default one.
      let model = "\(SQLText.name(place.database)).\(own)"
      let engine = [SQLText.name(cluster), SQLText.name(place.database), own, statement.shardKey ?? "rand()"]
      return [
        "\(beginning)\(own)\(everywhere)\(rest)",
        "\(beginning)\(whole)\(everywhere) AS \(model)\nENGINE = Distributed(\(engine.joined(separator: ", ")))",
      ]
    }
  }

  /// What makes a server remove rows as they grow old. Whole partitions go at once, which costs nothing.
  package static func ageing(days: Int, in place: TablePlace) -> [String] {
    all.flatMap(\.statements).flatMap { statement -> [String] in
      guard let age = statement.age else { return [] }
      let table = "ALTER TABLE \(place.own(statement.table))\(place.clause)"
      return [
        "\(table) MODIFY SETTING ttl_only_drop_parts = 1", "\(table) MODIFY TTL \(age) + INTERVAL \(days) DAY",
      ]
    }
  }
}

/// Where tables are: on one server, or on the shards of a cluster.
package struct TablePlace: Sendable, Equatable {
  package var database: String
  /// The cluster's name in the servers' configuration; nil for one server.
  package var cluster: String?
  /// Whether a server passes statements on to all of the cluster. It needs a keeper for that.
  package var passesOn: Bool
  /// Whether the replicas of a shard keep each other's rows. They need a keeper for that, and the macros `shard` and
  /// `replica` in their configuration.
  package var isReplicated: Bool

  package init(database: String, cluster: String? = nil, passesOn: Bool = false, isReplicated: Bool = false) {
    self.database = database
    self.cluster = cluster
    self.passesOn = passesOn
    self.isReplicated = isReplicated
  }

  /// What stands behind a table's name, with the engine that replicates where that is asked for.
  func replicated(_ table: String, _ rest: String) -> String {
    let engine = "ENGINE = ReplacingMergeTree("
    guard isReplicated, let found = rest.firstRange(of: engine) else { return rest }
    let path = SQLText.literal(.text("/clickhouse/tables/{shard}/\(database)/\(table)"))
    return rest[..<found.lowerBound] + "ENGINE = ReplicatedReplacingMergeTree(\(path), '{replica}', "
      + rest[found.upperBound...]
  }

  /// The name of a server's own table, quoted.
  func own(_ table: String) -> String { SQLText.name(cluster == nil ? table : "\(table)_local") }

  /// What stands behind a table's name in a statement for all servers.
  var clause: String {
    guard let cluster, passesOn else { return "" }
    return " ON CLUSTER \(SQLText.name(cluster))"
  }
}
