import ArgumentParser
import StallwatchCore
import StallwatchReport

/// A duration on the command line: `250ms`, `2s`, `16.667ms`, `50us` (see ``DurationNotation``).
struct DurationArgument: ExpressibleByArgument, Equatable {
  /// The duration.
  var nanoseconds: Nanoseconds

  /// A duration given in code, for an option's default.
  init(_ nanoseconds: Nanoseconds) { self.nanoseconds = nanoseconds }

  init?(argument: String) {
    guard let nanoseconds = DurationNotation.parse(argument) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// How `--help` shows a default.
  var defaultValueDescription: String { DurationNotation.exact(nanoseconds) }
}
