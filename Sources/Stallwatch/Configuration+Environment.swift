import StallwatchCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension MonitorVariable {
  /// Its value in this process now; nil when it is not set or empty. Not while another thread changes the environment.
  public var value: String? {
    guard let text = getenv(rawValue), text.pointee != 0 else { return nil }
    return String(cString: text)
  }
}

extension Configuration {
  /// Whether `STALLWATCH_DISABLE` keeps the monitor out of this process: set, not empty and not `0`.
  public static var isDisabledByEnvironment: Bool {
    MonitorVariable.disable.value.map { $0 != "0" } ?? false
  }

  /// This configuration with what the environment overrules: store, threshold, intervals, profile. Throws
  /// ``MonitorError/badEnvironment(variable:value:expected:)``.
  ///
  /// In a program that `record` runs the variables are meant for the injected monitor, and an embedded one keeps to
  /// itself.
  public func overruledByEnvironment() throws(MonitorError) -> Configuration {
    guard !leavesHooksToInjected else { return self }
    var configuration = self
    if let store = MonitorVariable.store.value { configuration.store = store }
    if let text = MonitorVariable.threshold.value {
      guard let threshold = DurationNotation.parse(text), threshold >= Self.minimumThreshold else {
        throw .badEnvironment(
          variable: MonitorVariable.threshold.rawValue, value: text,
          expected: "a duration of 1ms or more, such as 50ms")
      }
      configuration.threshold = threshold
    }
    if let text = MonitorVariable.sampleEvery.value {
      guard let interval = DurationNotation.parse(text), interval >= .millisecond else {
        throw .badEnvironment(
          variable: MonitorVariable.sampleEvery.rawValue, value: text,
          expected: "a duration of 1ms or more, such as 10ms")
      }
      configuration.sampleInterval = interval
    }
    if let text = MonitorVariable.profile.value {
      guard let rate = Int(text), (1...1_000).contains(rate) else {
        throw .badEnvironment(
          variable: MonitorVariable.profile.rawValue, value: text, expected: "a number of looks a second, 1 to 1000")
      }
      configuration.profileRate = rate
    }
    if let text = MonitorVariable.driftInterval.value {
      guard let interval = DriftInterval(text) else {
        throw .badEnvironment(
          variable: MonitorVariable.driftInterval.rawValue, value: text, expected: DriftInterval.expected)
      }
      configuration.driftInterval = interval.nanoseconds
    }
    return configuration
  }

  /// Whether this monitor is embedded in a program that is being recorded from outside.
  var leavesHooksToInjected: Bool { origin != "injected" && MonitorVariable.inject.value != nil }

  /// Below this the watchdog itself would be busy.
  static let minimumThreshold: Nanoseconds = 1 * .millisecond
}
