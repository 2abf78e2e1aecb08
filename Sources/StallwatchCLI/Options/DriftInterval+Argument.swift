import ArgumentParser
import StallwatchCore

extension DriftInterval: ExpressibleByArgument {
  /// Parses the interval on a command line: `100ms`, `off`.
  public init?(argument: String) { self.init(argument) }
}
