/// How much of a file's debug information may still be read.
///
/// In an honest file each table stands for one thing and is read a few times. In a hostile one thousands of short entries
/// refer to one long table, or begin within each other: the work, and what is kept of it, would grow with the square of
/// the file's size.
final class DwarfWork {
  private var left: Int
  /// So many times the size of all sections may be read.
  private static let mostReadings = 6
  /// Small files are read as often as it takes.
  private static let least = 1 << 20

  /// For sections of so many bytes together.
  init(size: Int) { left = max(size.multipliedReportingOverflow(by: Self.mostReadings).partialValue, Self.least) }

  /// Takes so many bytes away, and says whether they were left.
  func spend(_ bytes: Int) -> Bool {
    guard bytes <= left else {
      left = 0
      return false
    }
    left -= bytes
    return true
  }
}
