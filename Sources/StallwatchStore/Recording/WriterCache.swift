/// How many pages of the store SQLite keeps in memory for a writer.
struct WriterCache {
  /// How many it keeps that the store has, too, until memory is released: those that the transactions of a row of
  /// stalls read again and again. Some 20 tables and indexes have a stall's rows, each in a page or two.
  private static let usual = 40
  /// From so many records on, those of some twenty stalls, a transaction is one of a burst. Its rows lie all over the
  /// indexes, so that with the usual pages SQLite reads many for each stall.
  private static let burst = 100
  /// From a burst on until memory is released, SQLite keeps about as many as a transaction of 2,000 records changes:
  /// 4 MB.
  private static let inBurst = 1_000
  /// How many changed pages a transaction keeps before it writes them early, some of them twice, where this is more than
  /// all that SQLite keeps: 2 MB of memory for its duration.
  private static let changed = 500

  private let connection: Connection
  private var isInBurst = false

  /// The cache of a connection that keeps the usual pages.
  init(of connection: Connection) { self.connection = connection }

  /// Has a connection keep the usual pages.
  static func keepUsual(of connection: Connection) throws(SQLiteFailure) {
    try connection.keepPages(clean: usual, changed: changed)
  }

  /// Makes room for a transaction of so many records. Call it within the transaction: it may read the schema.
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
