import StallwatchCore

@testable import StallwatchStore

extension StoreWriter {
  /// Takes records and writes all of them, figures included, in one transaction.
  func write(_ records: [Record], trouble: String? = nil) throws(SQLiteFailure) {
    take(records)
    try commit(closing: .full, trouble: trouble)
  }
}
