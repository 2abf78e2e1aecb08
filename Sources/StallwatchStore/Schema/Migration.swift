/// One step of the schema, from the version before it to its own. Once released it never changes: stores that took it
/// exist. A new need is a new migration at the end of ``Schema/migrations``.
struct Migration: Sendable {
  /// The user_version that the step leads to.
  let version: Int
  /// Its statements.
  let sql: String
}
