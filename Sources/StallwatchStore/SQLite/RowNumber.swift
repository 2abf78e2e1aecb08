/// The numbers that a store's row may have: those that every JSON reader keeps exactly (RFC 8259, section 6).
enum RowNumber {
  /// The highest number of a row.
  static let highest: Int64 = 1 << 53
  /// The highest in a store to be merged into another: above it the rows of 8,000 more stores find numbers.
  static let highestMerged: Int64 = 1 << 40

  /// Whether a row may have the number.
  static func isFit(_ number: Int64) -> Bool { (1...highest).contains(number) }
}
