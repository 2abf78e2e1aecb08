/// The budget of bytes to read from a file's debug information.
///
/// In an honest file each table describes one thing and is read a few times. In a hostile file thousands of short
/// entries refer to one long table, or begin inside each other: time and memory would grow with the square of the
/// file's size.
final class DwarfWork {
  private var left: Int
  /// The budget as a multiple of the sections' size.
  private static let mostReadings = 6
  /// The smallest budget, 1 MiB: a small file may be read as often as needed.
  private static let least = 1 << 20

  /// A budget for sections of `size` bytes together.
  init(size: Int) { left = max(size.multipliedReportingOverflow(by: Self.mostReadings).partialValue, Self.least) }

  /// Spends `bytes`. Returns false where fewer are left, and ends the budget.
  func spend(_ bytes: Int) -> Bool {
    guard bytes <= left else {
      left = 0
      return false
    }
    left -= bytes
    return true
  }
}
