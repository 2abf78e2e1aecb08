import StallwatchCore

/// Formats figures for people: three significant digits, a unit beside the number, "unknown" for an unknown figure.
/// JSON never uses it.
package enum Figure {
  /// The text for an unknown figure.
  package static let unknown = "unknown"

  /// `812 ms`, `3.20 s`, `16.7 ms`, `2 min 05 s`, `1 h 02 min`.
  package static func duration(_ nanoseconds: Nanoseconds?) -> String {
    guard let nanoseconds else { return unknown }
    let units: [(size: Nanoseconds, name: String)] = [
      (1, "ns"), (.microsecond, "µs"), (.millisecond, "ms"), (.second, "s"),
    ]
    if nanoseconds >= 60 * .second { return longDuration(seconds: nanoseconds.saturatingAdd(.second / 2) / .second) }
    // 999.7 µs would be written as 1000 µs: the unit is chosen after rounding to three digits.
    let unit = units.last { nanoseconds + $0.size / 2000 >= $0.size && nanoseconds > 0 } ?? units[0]
    return "\(significant(Double(nanoseconds) / Double(unit.size), whole: unit.size == 1)) \(unit.name)"
  }

  /// `12,345`; beyond twelve digits, which nobody reads one by one, `1.8e19`.
  package static func count(_ count: some BinaryInteger) -> String {
    let digits = String(count)
    if digits.count > 12 {
      return "\(digits.prefix(1)).\(digits.dropFirst().prefix(1))e\(digits.count - 1)"
    }
    var grouped = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place) % 3 == 0, digit != "-" { grouped.append(",") }
      grouped.append(digit)
    }
    return grouped
  }

  /// `12 times`, `once`.
  package static func times(_ count: some BinaryInteger) -> String {
    count == 1 ? "once" : "\(Figure.count(count)) times"
  }

  /// `1 loop`, `12 loops`.
  package static func count(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(Figure.count(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// A share from 0 to 1 as `12 %`, `0.4 %`, `99.6 %`, `<0.1 %`. Only exactly 0 and exactly 1 become `0 %` and `100 %`.
  package static func share(_ share: Double?) -> String {
    guard let share, share.isFinite else { return unknown }
    let percent = share * 100
    if percent == 0 { return "0 %" }
    if percent < 0.1 { return "<0.1 %" }
    if percent > 99.9, percent < 100 { return ">99.9 %" }
    let isNearAnEnd = percent < 9.95 || (percent >= 99 && percent < 100)
    return "\(fixed(percent, decimals: isNearAnEnd ? 1 : 0)) %"
  }

  /// A rate with one decimal, `4.2`; from 100 on without decimals.
  package static func rate(_ rate: Double?) -> String {
    guard let rate, rate.isFinite else { return unknown }
    if rate == 0 { return "0" }
    if rate < 0.05 { return "<0.1" }
    return rate < 99.95 ? fixed(rate, decimals: 1) : count(UInt64(min(rate, 1e18).rounded()))
  }

  /// A size in bytes, in decimal units: `12.3 MB`.
  package static func size(_ bytes: Int64) -> String {
    switch bytes {
    case ..<10_000: "\(bytes) B"
    case ..<1_000_000: "\(bytes / 1_000) kB"
    default: "\(bytes / 1_000_000).\(bytes % 1_000_000 / 100_000) MB"
    }
  }

  /// `a`, `a and b`, `a, b and c`.
  package static func list(_ parts: [String]) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return "\(parts.dropLast().joined(separator: ", ")) and \(last)"
  }

  private static func longDuration(seconds: Nanoseconds) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
    if days > 0 { return "\(days) d \(twoDigits(hours)) h" }
    if hours > 0 { return "\(hours) h \(twoDigits(minutes)) min" }
    return "\(minutes) min \(twoDigits(seconds % 60)) s"
  }

  private static func significant(_ value: Double, whole: Bool) -> String {
    if whole { return fixed(value, decimals: 0) }
    return fixed(value, decimals: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
  }

  /// `value` ≥ 0 with this many decimals, rounded half up.
  private static func fixed(_ value: Double, decimals: Int) -> String {
    let scale: UInt64 = decimals == 2 ? 100 : decimals == 1 ? 10 : 1
    // A healthy store has no figure near the bound; one from a hostile store must not trap.
    let scaled = UInt64((min(value, 1e15) * Double(scale)).rounded())
    guard decimals > 0 else { return String(scaled) }
    let fraction = String(scaled % scale)
    return "\(scaled / scale).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }

  private static func twoDigits(_ value: Nanoseconds) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
