/// Sees to it that rows come in the order of their key, and each key once.
///
/// Pages of a damaged file may refer to each other in a ring: rows that are held in memory must not come again without
/// end, and whoever looks a row up by its key must find one.
struct RowOrder<Key: Comparable> {
  private let what: String
  private var last: Key?

  /// Of rows that an error calls `what`.
  init(_ what: String) { self.what = what }

  /// Takes in the next row's key.
  mutating func take(_ key: Key) throws(SQLiteFailure) {
    if let last, key <= last { throw .badContents("two \(what) have one number, or are out of order") }
    last = key
  }
}
