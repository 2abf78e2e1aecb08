/// Checks that rows come in the order of their key, each key once.
///
/// Pages of a damaged file may refer to each other in a ring: rows held in memory must not repeat without end, and a
/// search for a row by its key must find one.
struct RowOrder<Key: Comparable> {
  private let what: String
  private var last: Key?

  /// A check for rows that an error calls `what`.
  init(_ what: String) { self.what = what }

  /// Takes the next row's key. Throws if it is not above the last one.
  mutating func take(_ key: Key) throws(SQLiteFailure) {
    if let last, key <= last { throw .badContents("two \(what) have the same number, or are out of order") }
    last = key
  }
}
