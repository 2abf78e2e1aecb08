import ArgumentParser
import StallwatchCore

/// A duration on the command line: `250ms`, `2s`, `16.667ms`, `50us` (see ``DurationNotation``).
struct DurationArgument: Equatable, CustomStringConvertible {
  /// The duration.
  var nanoseconds: Nanoseconds

  /// A duration from code, for an option's default.
  init(_ nanoseconds: Nanoseconds) { self.nanoseconds = nanoseconds }

  /// Parses an option's value. Throws `ValidationError`, which says what to write.
  @Sendable
  static func parse(_ text: String) throws -> DurationArgument {
    if let nanoseconds = DurationNotation.parse(text) { return DurationArgument(nanoseconds) }
    throw ValidationError(remedy(for: text))
  }

  /// What to write instead of a text that is no duration.
  static func remedy(for text: String) -> String {
    // Who leaves the unit out mostly means milliseconds.
    let withUnit = text + "ms"
    return DurationNotation.parse(withUnit) == nil ? "write a number and a unit, like 250ms or 2s" : "write \(withUnit)"
  }

  /// The default's text in `--help`.
  var description: String { DurationNotation.exact(nanoseconds) }
}
