/// The notation for durations on the command line and in budget files: a decimal number and a unit, `250ms`.
package enum DurationNotation {
  /// In the order of trying: `s` comes last, because others end in it. `us` is easier to type than `µs`.
  private static let units: [(suffix: String, size: Nanoseconds)] = [
    ("d", 86_400 * .second), ("h", 3_600 * .second), ("min", 60 * .second), ("ms", .millisecond), ("us", .microsecond),
    ("µs", .microsecond), ("μs", .microsecond), ("ns", 1), ("s", .second),
  ]

  /// The duration that `text` names; nil when it has no unit, a sign or an exponent, or names more than 584 years. Cuts
  /// digits beyond the nanosecond off.
  package static func parse(_ text: String) -> Nanoseconds? {
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

  /// `nanoseconds` in the largest fitting unit up to `s`, without loss: `16.667ms`, `2s`. ``parse(_:)`` reads it back.
  package static func exact(_ nanoseconds: Nanoseconds) -> String {
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
