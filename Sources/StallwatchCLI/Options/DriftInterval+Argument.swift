import ArgumentParser
import StallwatchCore

extension DriftInterval: ExpressibleByArgument {
  /// The interval of a command line: `100ms`, `off`.
  public init?(argument: String) { self.init(argument) }
}
