import StallwatchCore

/// What a measure counts in.
package enum MeasureUnit: String, Sendable {
  /// Nanoseconds; a budget writes `8ms`.
  case duration
  /// A whole number.
  case count
  /// A share, 0…1.
  case share
  /// Something for each of something else, such as seconds per hour.
  case rate

  /// What its keys in JSON end in.
  var suffix: String { self == .duration ? "_ns" : "" }
}

/// The value of a measure. Whole numbers stay exact, also beyond 2⁵³.
package enum MeasureValue: Sendable, Equatable {
  case whole(UInt64)
  /// A whole number that may be negative.
  case signed(Int64)
  case real(Double)

  /// The nearest number.
  package var number: Double {
    switch self {
    case .whole(let value): Double(value)
    case .signed(let value): Double(value)
    case .real(let value): value
    }
  }
}

extension Figure {
  /// A measure's value with its unit, as people read it; below 0 with `−` where it is a duration.
  package static func text(_ value: MeasureValue?, _ unit: MeasureUnit) -> String {
    guard let value else { return unknown }
    return switch (unit, value) {
    case (.share, _): share(value.number)
    case (.rate, _): rate(value.number)
    case (.count, .whole(let count)): self.count(count)
    case (.count, .signed(let count)): self.count(count)
    case (.count, .real(let count)): self.count(Int64(max(min(count, 1e18), 0)))
    case (.duration, .whole(let time)): duration(time)
    case (.duration, .signed(let time)): (time < 0 ? "−" : "") + duration(time.magnitude)
    case (.duration, .real(let time)):
      (time < 0 ? "−" : "") + duration(Nanoseconds(min(time.magnitude, 1e18)))
    }
  }
}
