import CSQLite

/// Reads the columns of a statement's current row one after the other, in the statement's order.
///
/// A store may come from anywhere, so every read checks the column's type and range. A column that does not fit is an
/// error; no value is made up for it.
struct Row {
  private let statement: OpaquePointer?
  private var column: Int32 = 0

  init(statement: OpaquePointer?) { self.statement = statement }

  /// A number that fits into `Number`; a negative one does not fit an unsigned type.
  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(SQLiteFailure) -> Number {
    guard let value = try numberIfAny(type) else { throw unfit("is NULL") }
    return value
  }

  /// A number that fits into `Number`; nil for NULL.
  mutating func numberIfAny<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(SQLiteFailure) -> Number? {
    defer { column += 1 }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: return nil
    case SQLITE_INTEGER:
      let stored = sqlite3_column_int64(statement, column)
      guard let value = Number(exactly: stored) else { throw unfit("is out of range: \(stored)", column) }
      return value
    default: throw unfit("is not a number", column)
    }
  }

  /// A row's number. SQLite counts rows from 1; a number beyond ``RowNumber/highest`` leaves no room for more rows.
  mutating func rowNumber() throws(SQLiteFailure) -> Int64 {
    let number: Int64 = try number()
    guard RowNumber.isFit(number) else { throw unfit("is out of range: \(number)") }
    return number
  }

  /// A number; nil for NULL.
  mutating func integerIfAny() throws(SQLiteFailure) -> Int64? { try numberIfAny() }

  /// A text in UTF-8; throws for NULL.
  mutating func text() throws(SQLiteFailure) -> String {
    guard let value = try textIfAny() else { throw unfit("is NULL") }
    return value
  }

  /// A text in UTF-8; nil for NULL.
  mutating func textIfAny() throws(SQLiteFailure) -> String? {
    defer { column += 1 }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: return nil
    case SQLITE_TEXT:
      guard let start = sqlite3_column_text(statement, column) else { throw outOfMemory }
      let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
      // Most texts are ASCII, and the general way takes several times as long.
      if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
      guard let value = String(validating: bytes, as: UTF8.self) else { throw unfit("is not UTF-8", column) }
      return value
    default: throw unfit("is not text", column)
    }
  }

  /// A text of at most `longest` bytes; nil for NULL. Does not even read a longer one.
  mutating func textIfAny(longest: Int) throws(SQLiteFailure) -> String? {
    if sqlite3_column_type(statement, column) == SQLITE_TEXT, sqlite3_column_bytes(statement, column) > longest {
      throw unfit("is too long", column)
    }
    return try textIfAny()
  }

  /// One of the raw values of `Words`.
  mutating func word<Words: RawRepresentable<String>>(_ type: Words.Type = Words.self) throws(SQLiteFailure) -> Words {
    try word { Words(rawValue: $0) }
  }

  /// One of the words to which `meaning` gives a value.
  mutating func word<Meaning>(_ meaning: (String) -> Meaning?) throws(SQLiteFailure) -> Meaning {
    let stored = try text()
    guard let value = meaning(stored) else { throw unfit("holds an unknown word") }
    return value
  }

  /// Passes a blob's bytes to `body`, valid during the call only; nil for NULL.
  mutating func bytesIfAny<Result>(
    _ body: (UnsafeRawBufferPointer) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result? {
    defer { column += 1 }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: return nil
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    default: throw unfit("is not a blob", column)
    }
  }

  /// Leaves out so many columns.
  mutating func skip(_ count: Int32) { column += count }

  private var outOfMemory: SQLiteFailure { SQLiteFailure(code: SQLITE_NOMEM, message: "out of memory") }

  /// A complaint about the column read last.
  private func unfit(_ complaint: String) -> SQLiteFailure { unfit(complaint, column - 1) }

  private func unfit(_ complaint: String, _ column: Int32) -> SQLiteFailure {
    let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
    return .badContents("column \(name) \(complaint)")
  }
}

/// The numbers that a store's row may have: those that every JSON reader keeps exactly (RFC 8259, section 6).
enum RowNumber {
  /// The highest number of a row.
  static let highest: Int64 = 1 << 53
  /// The highest in a store to be merged into another: above it the rows of 8,000 more stores find numbers.
  static let highestMerged: Int64 = 1 << 40

  /// Whether a row may have the number.
  static func isFit(_ number: Int64) -> Bool { (1...highest).contains(number) }
}
