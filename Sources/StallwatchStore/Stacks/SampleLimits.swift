import StallwatchCore

/// The most that samples may take. A writer stays within it, and a reader accepts nothing beyond it from a file.
enum SampleLimits {
  /// The most samples of a stall, as ``StallSamples`` promises.
  static let mostSamples = 64
  /// The most frames of a stack. A deeper recursion loses its outermost frames.
  static let mostFrames = 1_024
  /// The most bytes of a name or path: Linux's PATH_MAX.
  static let longestText = 4_096
  /// The most bytes of a function's name, or of a source file's path: what a symbol table may have.
  static let longestName = 65_536
  /// The most functions at one address, of which all but one were inlined.
  static let mostCalls = 1_024
  /// The longest time that a sample or a part of a cause may stand for: two years. It keeps sums over a stall below
  /// 2^63.
  static let longestTime: Nanoseconds = 1 << 56

  /// `text`, or as much of its beginning as ``longestText`` allows.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: longestText)
    // Cuts between characters, not within the bytes of one.
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text.unicodeScalars[..<end])
  }
}
