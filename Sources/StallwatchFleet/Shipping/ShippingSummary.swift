/// What a run of `ship` did.
package struct ShippingSummary: Sendable, Equatable {
  /// Stores that were read, and those that could not be.
  package var stores = 0
  package var unreadable = 0
  /// Sessions that were seen.
  package var sessions = 0
  /// Batches and bytes that the destination took, and their rows by table.
  package var batches: UInt64 = 0
  package var bytes: UInt64 = 0
  package var rows: [String: UInt64] = [:]
  /// How often a delivery failed for now, and how many batches the destination will never take.
  package var retries: UInt64 = 0
  package var rejected: UInt64 = 0
  /// Why the rest could not be delivered; nil where nothing is left, or somebody asked to stop.
  package var obstacle: String?
  /// Batches that are left in the spool, and whether the stores have more that is not in the spool.
  package var left: UInt64 = 0
  package var hasMore = false

  package init() {}
}
