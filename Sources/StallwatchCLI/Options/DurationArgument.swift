import ArgumentParser
import StallwatchCore
import StallwatchFormats
import StallwatchReport

/// A duration on the command line: `250ms`, `2s`, `16.667ms`, `50us` (see ``DurationNotation``).
struct DurationArgument: ExpressibleByArgument, Equatable {
  /// The duration.
  var nanoseconds: Nanoseconds

  /// A duration from code, for an option's default.
  init(_ nanoseconds: Nanoseconds) { self.nanoseconds = nanoseconds }

  init?(argument: String) {
    guard let nanoseconds = DurationNotation.parse(argument) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// The default's text in `--help`.
  var defaultValueDescription: String { DurationNotation.exact(nanoseconds) }
}
