import StallwatchCore

/// Rows of a store that are read one by one when asked for, so that several kinds of rows can be read side by side. For one
/// thread at a time; holds one row.
package final class StoreCursor<Element> {
  private let access: ReadAccess
  private let statement: Statement
  private let read: (Statement) throws(SQLiteFailure) -> Element
  private var isOver = false

  /// Reads the rows of `statement` by `read`.
  init(
    _ statement: Statement, _ access: ReadAccess, _ read: @escaping (Statement) throws(SQLiteFailure) -> Element
  ) {
    (self.statement, self.access, self.read) = (statement, access, read)
  }

  deinit { statement.reset() }

  /// The next row; nil after the last. Throws ``StoreError``.
  package func next() throws -> Element? {
    guard !isOver else { return nil }
    let row = try reportingFailures(of: access.path) { () throws(SQLiteFailure) -> Element? in
      try statement.step() ? try read(statement) : nil
    }
    if row == nil {
      isOver = true
      try access.checkUndisturbed()
    }
    return row
  }
}
