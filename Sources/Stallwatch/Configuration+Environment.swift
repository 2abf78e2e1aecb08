import StallwatchCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The environment variables that a monitor reads, embedded or injected. Each overrules what the program configured, so that
/// whoever runs a program has the last word.
public enum EnvironmentVariable: String, CaseIterable, Sendable {
  /// The store's path.
  case store = "STALLWATCH_STORE"
  /// The threshold, a duration such as `50ms`.
  case threshold = "STALLWATCH_THRESHOLD"
  /// `1`: the monitor stays out of the process.
  case disable = "STALLWATCH_DISABLE"

  /// Its value in this process; nil when it is not set or empty.
  public var value: String? {
    guard let text = getenv(rawValue), text.pointee != 0 else { return nil }
    return String(cString: text)
  }
}

extension Configuration {
  /// Whether ``EnvironmentVariable/disable`` keeps the monitor out of this process.
  public static var isDisabledByEnvironment: Bool {
    EnvironmentVariable.disable.value.map { $0 != "0" } ?? false
  }

  /// This configuration with what the environment overrules. Throws ``MonitorError/badEnvironment(variable:value:expected:)``.
  ///
  /// In a program that `record` runs the variables are meant for the injected monitor, and an embedded one keeps to itself.
  public func overruledByEnvironment() throws(MonitorError) -> Configuration {
    guard !leavesHooksToInjected else { return self }
    var configuration = self
    if let store = EnvironmentVariable.store.value { configuration.store = store }
    if let text = EnvironmentVariable.threshold.value {
      guard let threshold = DurationNotation.parse(text), threshold >= Self.minimumThreshold else {
        throw .badEnvironment(
          variable: EnvironmentVariable.threshold.rawValue, value: text,
          expected: "a duration of 1ms or more, such as 50ms")
      }
      configuration.threshold = threshold
    }
    return configuration
  }

  /// Whether this monitor is embedded in a program that is being recorded from outside.
  var leavesHooksToInjected: Bool { origin != "injected" && getenv("STALLWATCH_INJECT") != nil }

  /// Below this the watchdog itself would be busy.
  static let minimumThreshold: Nanoseconds = 1 * .millisecond
}
