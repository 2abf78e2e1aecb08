/// What a server is and which settings it knows.
package struct ServerFacts: Sendable, Equatable {
  /// Such as `18.16.1`.
  package var version: String
  var settings: Set<String>

  /// Settings of inserts that not every version knows.
  static let askedSettings = [
    "insert_deduplication_token", "insert_distributed_sync", "distributed_foreground_insert", "wait_for_async_insert",
  ]

  /// Whether it leaves out a batch of a name that it had before.
  var hasBatchNames: Bool { settings.contains("insert_deduplication_token") }

  /// What makes an insert return only once its rows are in the tables of every shard.
  var insertSettings: [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    if settings.contains("wait_for_async_insert") { found.append(("wait_for_async_insert", "1")) }
    // Two names of one setting: today's, and the one of 2018.
    if let name = ["distributed_foreground_insert", "insert_distributed_sync"].first(where: settings.contains) {
      found.append((name, "1"))
    }
    return found
  }

  /// Whether rows can be removed by their age (since 19.6).
  package var removesByAge: Bool { isAtLeast(19, 6) }

  /// A statement as the server understands it. Its columns of few values were an experiment before 19.6.
  func adapted(_ statement: String) -> String {
    guard !isAtLeast(19, 6) else { return statement }
    return statement.replacing("LowCardinality(String)", with: "String")
  }

  func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
    let parts = version.split(separator: ".").map { Int($0) ?? 0 }
    let (hasMajor, hasMinor) = (parts.first ?? 0, parts.dropFirst().first ?? 0)
    return (hasMajor, hasMinor) >= (major, minor)
  }
}
