import StallwatchCore

/// Formats wall-clock times in UTC.
package enum Timestamp {
  /// RFC 3339 for nanoseconds since 1970-01-01 UTC: `2026-05-01T10:20:30.123456789Z`.
  package static func rfc3339(_ nanoseconds: UInt64) -> String {
    let (date, time) = parts(nanoseconds)
    return "\(date)T\(time).\(padded(nanoseconds % .second, to: 9))Z"
  }

  /// For people: `2026-05-01 10:20:30 UTC`.
  package static func readable(_ nanoseconds: UInt64) -> String {
    let (date, time) = parts(nanoseconds)
    return "\(date) \(time) UTC"
  }

  private static func parts(_ nanoseconds: UInt64) -> (date: String, time: String) {
    let seconds = nanoseconds / .second
    let (year, month, day) = civil(day: seconds / 86_400)
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60)
    return (
      "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))",
      "\(padded(hour, to: 2)):\(padded(minute, to: 2)):\(padded(second, to: 2))"
    )
  }

  /// The Gregorian date of a day counted from 1970-01-01. Years start in March here, so that the leap day is the last
  /// day of a year; 146,097 days are 400 years.
  private static func civil(day: UInt64) -> (year: UInt64, month: UInt64, day: UInt64) {
    let marchDay = day + 719_468
    let era = marchDay / 146_097
    let dayOfEra = marchDay % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  private static func padded(_ value: UInt64, to width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
