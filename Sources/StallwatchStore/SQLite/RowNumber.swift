/// Which numbers a row of a store may have: all that a JSON reader takes for the number that they are (RFC 8259, section 6).
enum RowNumber {
  /// The highest.
  static let highest: Int64 = 1 << 53
  /// The highest of a store that is merged into another: the rows of 8,000 stores more find numbers above it.
  static let highestMerged: Int64 = 1 << 40

  /// Whether a row may have that number.
  static func isFit(_ number: Int64) -> Bool { (1...highest).contains(number) }
}
