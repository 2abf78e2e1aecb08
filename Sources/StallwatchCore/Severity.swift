/// How bad a stall is, by its duration.
///
/// Apple's Instruments uses the same bounds for hangs (microhang 250 ms, hang 500 ms, severe 2 s); `long` begins at
/// 50 ms, the bound of the W3C's Long Tasks.
package enum Severity: UInt8, CaseIterable, Comparable, Sendable {
  /// Less than 50 ms; occurs only with a threshold below the default.
  case brief = 0
  /// 50 ms or more.
  case long = 1
  /// 250 ms or more.
  case microhang = 2
  /// 500 ms or more.
  case hang = 3
  /// 2 s or more.
  case severe = 4

  /// The severity of a stall that lasted `duration`.
  package init(duration: Nanoseconds) {
    self = Severity.allCases.last { duration >= $0.minimum } ?? .brief
  }

  /// The shortest duration of this severity; inclusive.
  package var minimum: Nanoseconds {
    switch self {
    case .brief: 0
    case .long: 50 * .millisecond
    case .microhang: 250 * .millisecond
    case .hang: 500 * .millisecond
    case .severe: 2 * .second
    }
  }

  /// The name used in the store, in JSON and in reports.
  package var name: String {
    switch self {
    case .brief: "brief"
    case .long: "long"
    case .microhang: "microhang"
    case .hang: "hang"
    case .severe: "severe"
    }
  }

  /// Orders the milder severity first.
  package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
}
