import StallwatchCore

/// The bounds of what `ship` does.
package struct ShippingConfiguration: Sendable {
  /// The most that the spool takes of the disk, in bytes.
  package var spoolLimit = 64_000_000
  /// The share of it for batches that the destination will never take: enough to find out why.
  package var rejectedShare = 0.25
  /// The time between two looks at the stores. The current hours are sent again whenever they have changed.
  package var interval = 30 * Nanoseconds.second
  /// A batch is closed at so many bytes before they are compressed, and at so many rows. ClickHouse takes a batch as one
  /// part, which should be large; a batch is held in memory and may have to be sent again.
  package var batchBytes = 1_000_000
  package var batchRows = 10_000
  /// The most bytes of rows in memory, of all tables together, before they go to the spool.
  package var openBytes = 4_000_000
  /// How long a store is read, and how many bytes of it go to the spool, before its reader is closed: while a reader is
  /// open, the store's writer cannot reuse the room of its log. A reading that continues later begins again with the
  /// hour that it had reached, so the time must be enough for some hours of a store with many stalls.
  package var readingTime = 10 * Nanoseconds.second
  package var readingBytes = 8_000_000
  /// How long batches are sent before the stores are looked at again.
  package var sendingTime = 5 * Nanoseconds.second
  /// The first pause after a delivery failed; each is twice the one before, up to the longest. Of each, a random part of
  /// up to half is left out, so that many machines do not come back at once.
  package var firstPause = Nanoseconds.second
  package var longestPause = 5 * 60 * Nanoseconds.second
  /// How often a delivery is tried before `ship` gives up, unless it follows the stores.
  package var mostTries = 4
  /// After so many batches in a row that the destination will never take, the fault is with the destination: the others
  /// wait.
  package var mostRejections = 3
  /// After how many seconds names are sent again, in case the tables have lost them.
  package var nameLifetime: UInt32 = 24 * 60 * 60
  /// The longest pause between two pages of metrics.
  package var metricsInterval = 10 * Nanoseconds.second

  package init() {}
}
