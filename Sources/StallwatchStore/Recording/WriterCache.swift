/// How many pages of the store SQLite keeps in memory for a writer.
struct WriterCache {
  /// How many it keeps that the store has, too, until memory is released: those that the transactions of a row of
  /// stalls read again and again. Some 20 tables and indexes have a stall's rows, each in a page or two.
  private static let usual = 40
  /// From so many records on, those of some twenty stalls, a transaction is one of a burst. Its rows lie all over the
  /// indexes, so that with the usual pages SQLite reads ten or more for each stall.
  private static let burst = 100
  /// So until memory is released, it keeps as many as the largest transaction changes: 4 MB.
  private static let inBurst = 1_000
  /// How many changed pages a transaction keeps before it writes them early, some of them twice: 2 MB of memory for its
  /// duration, SQLite's default.
  private static let changed = 500

  private let connection: Connection
  private var isInBurst = false

  /// The cache of a connection that keeps the usual pages.
  init(of connection: Connection) { self.connection = connection }

  /// Has a connection keep the usual pages.
  static func keepUsual(of connection: Connection) throws(SQLiteFailure) {
    try connection.keepPages(clean: usual, changed: changed)
  }

  /// Keeps as many pages as a transaction of so many records needs, at the least.
  mutating func prepare(for records: Int) {
    guard !isInBurst, records >= Self.burst else { return }
    // Without it, writing takes longer.
    isInBurst = (try? connection.keepPages(clean: Self.inBurst, changed: Self.changed)) != nil
  }

  /// Keeps no more than the usual pages.
  mutating func shrink() {
    guard isInBurst else { return }
    isInBurst = (try? Self.keepUsual(of: connection)) == nil
  }
}
