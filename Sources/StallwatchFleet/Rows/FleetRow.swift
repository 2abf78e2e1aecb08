/// A row of a fleet's tables, which `ship` makes from a store.
///
/// Every row holds totals, never increments: it has a natural key, and of two rows with the same key, the one with the
/// higher ``version`` counts. So a row may be sent any number of times, in any order, and counts once.
package protocol FleetRow: Sendable {
  /// The table's name.
  static var table: String { get }
  /// The names of the columns, in the order in which ``encode(into:)`` writes them.
  static var columns: [String] { get }
  /// Writes the columns.
  func encode(into encoder: inout RowEncoder)
}

/// The session that a row is about, with its labels. Questions to a fleet choose by these, so none of them needs a
/// join.
package struct RowOrigin: Sendable, Hashable {
  /// The session, the same number in every copy of its store: a hash of its process and its start.
  package var session: UInt64
  /// What the program is called. Never empty.
  package var service: String
  /// Which version of it ran. Never empty.
  package var release: String
  /// Where it ran, such as `production`; empty where nobody said.
  package var environment: String
  /// The machine, container or device that it ran on. Never empty.
  package var instance: String

  /// Sets every property as given.
  package init(session: UInt64, service: String, release: String, environment: String, instance: String) {
    self.session = session
    self.service = service
    self.release = release
    self.environment = environment
    self.instance = instance
  }

  /// The names of its columns, which come first in every table but those of names.
  static let columns = ["service", "release", "environment", "instance", "session"]

  func encode(into encoder: inout RowEncoder) {
    encoder.put(service)
    encoder.put(release)
    encoder.put(environment)
    encoder.put(instance)
    encoder.put(session)
  }
}
