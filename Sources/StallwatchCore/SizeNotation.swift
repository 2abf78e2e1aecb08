/// The notation for sizes on the command line and in the environment: a whole number and a unit, `64MB`.
package enum SizeNotation {
  /// In the order of trying: `B` comes last, because all others end in it.
  private static let units: [(suffix: String, size: Int64)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1_000), ("KB", 1_000), ("MB", 1_000_000),
    ("GB", 1_000_000_000), ("B", 1),
  ]

  /// The bytes that `text` names; nil when it has no unit or a sign, is no whole number, or does not fit.
  package static func parse(_ text: String) -> Int64? {
    guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
    let digits = text.dropLast(unit.suffix.count)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let count = Int64(digits)
    else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.size)
    return overflow ? nil : bytes
  }

  /// `bytes` in the largest decimal unit that loses nothing: `64MB`. ``parse(_:)`` reads it back.
  package static func exact(_ bytes: Int64) -> String {
    for (suffix, size) in [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)] as [(String, Int64)]
    where bytes > 0 && bytes % size == 0 {
      return "\(bytes / size)\(suffix)"
    }
    return "\(bytes)B"
  }
}
