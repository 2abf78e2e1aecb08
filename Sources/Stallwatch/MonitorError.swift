import StallwatchCore
import StallwatchProbe
import StallwatchStore

/// Why a monitor could not start. The program runs on without it.
public enum MonitorError: Error, Equatable, CustomStringConvertible {
  /// An environment variable has a value that cannot be used.
  case badEnvironment(variable: String, value: String, expected: String)
  /// A setting of the ``Configuration`` is outside its range.
  case badSetting(name: String, value: String, expected: String)
  /// The process was forked, without exec, from one in which a monitor was started.
  case forkedChild
  /// The process may open too few files to share them with a monitor.
  case fewDescriptors
  /// The store could not be opened or made, and why.
  case store(reason: String)
  /// The process cannot be watched, and why.
  case process(reason: String)

  /// One line with the reason and the way out.
  public var description: String {
    switch self {
    case .badEnvironment(let variable, let value, let expected), .badSetting(let variable, let value, let expected):
      "\(variable) is “\(value)”; it must be \(expected)"
    case .forkedChild:
      "this process was forked from a watched one, and its copy of the monitor is incomplete; call exec, or fork "
        + "before the monitor starts"
    case .fewDescriptors:
      "fewer than \(DescriptorRoom.needed) of the \(DescriptorRoom.limit.map { "\($0) " } ?? "")files that this "
        + "process may open are left; raise the limit with 'ulimit -n'"
    case .store(let reason), .process(let reason): reason
    }
  }

  static func store(_ error: StoreError) -> MonitorError { .store(reason: "\(error)") }
}
