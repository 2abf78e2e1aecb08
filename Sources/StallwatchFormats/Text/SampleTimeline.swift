import StallwatchCore
import StallwatchReport

/// A stall's samples over time, one character per slice.
struct SampleTimeline {
  /// `R` running, `B` blocked, `S` starved, `·` not watched.
  var text: String
  /// The length of a slice.
  var slice: Nanoseconds

  /// The meaning of the letters.
  static let legend = "R running, B blocked, S starved, · before the first sample"

  /// Shows `samples` of a stall from `start` on in at most `width` characters; nil without samples. Each slice shows
  /// the last sample before its end.
  init?(_ samples: [StackSample], start: Nanoseconds, duration: Nanoseconds, width: Int) {
    guard let first = samples.first, duration > 0, width > 0 else { return nil }
    slice = max(1, (duration - 1) / Nanoseconds(width) + 1)
    text = ""
    var next = 0
    for place in 0..<Int(min((duration - 1) / slice + 1, Nanoseconds(width))) {
      let end = start.saturatingAdd(slice.saturatingMultiply(by: Nanoseconds(place + 1)))
      while next < samples.count, samples[next].atNs < end { next += 1 }
      text += first.atNs >= end ? "·" : Self.letter(samples[max(next - 1, 0)].activity)
    }
  }

  private static func letter(_ activity: ThreadActivity) -> String {
    switch activity {
    case .running: "R"
    case .blocked: "B"
    case .starved: "S"
    }
  }
}
