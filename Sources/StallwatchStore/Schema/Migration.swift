/// One step of the schema, from the previous version to its own. Once released it never changes: stores that took it
/// exist. A new need is a new migration at the end of ``Schema/migrations``.
struct Migration: Sendable {
  /// The user_version to which the step leads.
  let version: Int
  /// The statements of the step.
  let sql: String
}
