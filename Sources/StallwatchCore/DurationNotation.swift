/// How a duration is written on the command line and in budget files: a decimal number and a unit, `250ms`.
public enum DurationNotation {
  /// The units, largest first. `us` is typed more easily than `µs`; both are read.
  private static let units: [(suffix: String, size: Nanoseconds)] = [
    ("h", 3_600 * .second), ("min", 60 * .second), ("ms", .millisecond), ("us", .microsecond),
    ("µs", .microsecond), ("μs", .microsecond), ("ns", 1), ("s", .second),
  ]

  /// The duration that `text` names, or nil when it names none: no unit, a sign, an exponent, or more than 584 years.
  /// Digits beyond the nanosecond are cut off.
  public static func parse(_ text: String) -> Nanoseconds? {
    guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
    let parts = text.dropLast(unit.suffix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy(isDigits), let whole = Nanoseconds(parts[0]) else {
      return nil
    }
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: unit.size)
    guard !overflow else { return nil }
    var fraction: Nanoseconds = 0
    var place = unit.size
    for digit in parts.dropFirst().joined() where place > 0 {
      place /= 10
      fraction += place * Nanoseconds(digit.wholeNumberValue!)
    }
    let (sum, carry) = scaled.addingReportingOverflow(fraction)
    return carry ? nil : sum
  }

  /// `nanoseconds` in the largest unit that holds it without loss: `16.667ms`, `2s`. What ``parse(_:)`` reads back.
  public static func exact(_ nanoseconds: Nanoseconds) -> String {
    let (suffix, size): (String, Nanoseconds) =
      switch nanoseconds {
      case .second...: ("s", .second)
      case .millisecond...: ("ms", .millisecond)
      case .microsecond...: ("us", .microsecond)
      default: ("ns", 1)
      }
    let rest = nanoseconds % size
    guard rest > 0 else { return "\(nanoseconds / size)\(suffix)" }
    var digits = String(String(rest + size).dropFirst())
    while digits.last == "0" { digits.removeLast() }
    return "\(nanoseconds / size).\(digits)\(suffix)"
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
