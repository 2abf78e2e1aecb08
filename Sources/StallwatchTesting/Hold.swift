import StallwatchCore
import StallwatchReport

/// A lane that was held for too long.
struct Hold {
  /// The lane in words, as in `the main queue`.
  var lane: String
  /// Its length; so far, if it goes on.
  var duration: Nanoseconds
  /// Whether it was not over when the store was read last.
  var goesOn: Bool
  /// What held it, without a full stop; nil where that is unknown.
  var cause: String?
  /// How the watched time divides, in words; nil where that is unknown.
  var split: String?

  /// The most holds of a test that become issues.
  static let most = 10

  /// The hold in words.
  func sentence(limit: Duration) -> String {
    let known = cause.map { ": \($0)." } ?? ", for an unknown cause\(split.map { " (\($0))" } ?? "")."
    let lane = lane.prefix(1).uppercased() + lane.dropFirst()
    let length = Figure.duration(duration)
    let held = goesOn ? "has been held for \(length) so far" : "was held for \(length)"
    return "\(lane) \(held), at most \(Figure.duration(Nanoseconds(limit))) allowed\(known)"
  }
}

extension Nanoseconds {
  /// A duration in nanoseconds; 0 for one below 0, and as many as fit for one that is longer.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else {
      self = 0
      return
    }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: .second)
    self = overflow ? .max : whole.saturatingAdd(UInt64(attoseconds / 1_000_000_000))
  }
}
