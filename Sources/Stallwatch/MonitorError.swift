import StallwatchProbe
import StallwatchStore

/// Why a monitor could not start. The program runs on without it.
public enum MonitorError: Error, CustomStringConvertible {
  /// An environment variable has a value that cannot be used.
  case badEnvironment(variable: String, value: String, expected: String)
  /// The process was forked, without exec, from one in which a monitor was started.
  case forkedChild
  /// The threshold is below 1 ms.
  case badThreshold
  /// The drift probe's interval is below 10 ms, or above 1 h.
  case badDriftInterval
  /// The process may open too few files to share them with a monitor.
  case fewDescriptors
  /// The store could not be opened or made.
  case store(StoreError)
  /// The process cannot be watched.
  case probe(ProbeError)

  /// One line with the reason and the way out.
  public var description: String {
    switch self {
    case .badEnvironment(let variable, let value, let expected):
      "\(variable) is “\(value)”; it must be \(expected)"
    case .forkedChild:
      "this process was forked from one that is watched, and what was copied is half-done; let it exec, or fork before "
        + "the monitor starts"
    case .badThreshold: "the threshold is below 1 ms; give 1 ms or more"
    case .badDriftInterval:
      "the drift probe's interval is not within 10 ms to 1 h; give one that is, or nil for no probe"
    case .fewDescriptors:
      "fewer than \(DescriptorRoom.needed) of the \(DescriptorRoom.limit.map { "\($0) " } ?? "")files that it may open are "
        + "left; raise the limit with 'ulimit -n'"
    case .store(let error): "\(error)"
    case .probe(let error): "\(error)"
    }
  }
}
