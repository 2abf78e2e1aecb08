import StallwatchCore

/// What samples may measure at most. A writer keeps to it, and a reader takes nothing beyond it from a file.
enum SampleLimits {
  /// Samples of a stall, as ``StallSamples`` promises.
  static let mostSamples = 64
  /// Frames of a stack. A recursion that is deeper loses its outermost frames.
  static let mostFrames = 1_024
  /// Bytes of a name or path: Linux's PATH_MAX.
  static let longestText = 4_096
  /// The longest time that a sample or a part of a cause may stand for: two years. It keeps sums over a stall below
  /// 2^63.
  static let longestTime: Nanoseconds = 1 << 56

  /// `text`, or as much of its beginning as fits.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: longestText)
    // Not within a character's bytes.
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text.unicodeScalars[..<end])
  }
}
