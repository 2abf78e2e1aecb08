import StallwatchCore

/// A moment of time as somebody writes it: a date with a time in UTC (RFC 3339), or a time of day in UTC.
package enum Moment: Sendable, Equatable {
  /// In nanoseconds since 1970-01-01 UTC.
  case date(UInt64)
  /// In nanoseconds since midnight.
  case timeOfDay(Nanoseconds)

  /// What a moment must look like, in words.
  package static let expected = "a time of day in UTC such as 14:05 or 14:05:30, or a date such as 2026-05-01T14:05:30Z"

  /// The moment that `text` writes; nil where it writes none.
  package init?(_ text: String) {
    if let time = Self.timeOfDay(text) {
      self = .timeOfDay(time)
      return
    }
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    guard parts.count == 2, let day = Self.day(parts[0]), parts[1].last == "Z",
      let time = Self.timeOfDay(String(parts[1].dropLast())), parts[1].count >= 9
    else { return nil }
    self = .date(day * Self.dayLength + time)
  }

  private static let dayLength = 86_400 * Nanoseconds.second

  /// The moment as nanoseconds since 1970-01-01 UTC. A time of day is on the day of `start`, a moment as well.
  package func nanoseconds(onDayOf start: UInt64) -> UInt64 {
    switch self {
    case .date(let moment): moment
    case .timeOfDay(let time): (start / Self.dayLength * Self.dayLength).saturatingAdd(time)
    }
  }

  /// Days from 1970-01-01 on: the Gregorian calendar repeats itself every 400 years, 146,097 days. Years begin in March
  /// here, so that a leap day is the last of its year.
  private static func day(_ text: Substring) -> UInt64? {
    let fields = text.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.map(\.count) == [4, 2, 2] else { return nil }
    let numbers = fields.compactMap { number($0, below: 10_000) }
    guard numbers.count == 3, numbers[0] >= 1970, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]) else {
      return nil
    }
    let year = numbers[0] - (numbers[1] <= 2 ? 1 : 0)
    let month = numbers[1] > 2 ? numbers[1] - 3 : numbers[1] + 9
    let (era, yearOfEra) = (year / 400, year % 400)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * month + 2) / 5 + numbers[2] - 1
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func timeOfDay(_ text: String) -> Nanoseconds? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(fields.count), fields[0].count == 2, fields[1].count == 2,
      let hour = number(fields[0], below: 24), let minute = number(fields[1], below: 60)
    else { return nil }
    var time = (hour * 3_600 + minute * 60) * .second
    guard fields.count == 3 else { return time }
    let seconds = fields[2].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(seconds.count), seconds[0].count == 2, let whole = number(seconds[0], below: 60) else {
      return nil
    }
    time += whole * .second
    guard seconds.count == 2 else { return time }
    guard (1...9).contains(seconds[1].count) else { return nil }
    let digits = seconds[1] + String(repeating: "0", count: 9 - seconds[1].count)
    guard let fraction = number(Substring(digits), below: .second) else { return nil }
    return time + fraction
  }

  private static func number(_ text: Substring, below end: UInt64) -> UInt64? {
    guard !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt64(text), number < end else {
      return nil
    }
    return number
  }
}
