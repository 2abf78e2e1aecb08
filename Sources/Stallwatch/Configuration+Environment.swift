import StallwatchCore
import StallwatchLibc

extension MonitorVariable {
  /// Its value in this process now; nil when it is not set or empty. Not while another thread changes the environment.
  var value: String? {
    guard let text = getenv(rawValue), text.pointee != 0 else { return nil }
    return String(cString: text)
  }

  /// Its value as a duration; nil when it is not set. Throws where it is none, or outside `range`.
  fileprivate func value(in range: SettingRange<Nanoseconds>) throws(MonitorError) -> Nanoseconds? {
    guard let text = value else { return nil }
    guard let duration = range.parse(text) else { throw bad(text, expected: range.expected) }
    return duration
  }

  /// The same for an interval, which may be off.
  fileprivate func interval(in range: SettingRange<Nanoseconds>) throws(MonitorError) -> IntervalSetting? {
    guard let text = value else { return nil }
    guard let interval = IntervalSetting(text, in: range) else { throw bad(text, expected: range.expectedOrOff) }
    return interval
  }

  fileprivate func bad(_ text: String, expected: String) -> MonitorError {
    .badEnvironment(variable: rawValue, value: text, expected: expected)
  }
}

extension Configuration {
  /// Whether `STALLWATCH_DISABLE` keeps the monitor out of this process: set, not empty and not `0`.
  static var isDisabledByEnvironment: Bool {
    MonitorVariable.disable.value.map { $0 != "0" } ?? false
  }

  /// This configuration with the values that the environment overrides: store, threshold, intervals, profile, retention.
  /// Throws ``MonitorError/badEnvironment(variable:value:expected:)``.
  ///
  /// In a program that `record` runs, the variables are for the injected monitor, and an embedded one ignores them.
  func overruledByEnvironment() throws(MonitorError) -> Configuration {
    guard !leavesHooksToInjected else { return self }
    var configuration = self
    if let store = MonitorVariable.store.value { configuration.store = store }
    if let threshold = try MonitorVariable.threshold.value(in: .threshold) {
      configuration.threshold = Duration(nanoseconds: threshold)
    }
    if let interval = try MonitorVariable.sampleEvery.interval(in: .sampleInterval) {
      configuration.sampleInterval = interval.nanoseconds.map { Duration(nanoseconds: $0) }
    }
    if let text = MonitorVariable.profile.value {
      guard let rate = SettingRange.profileRate.parse(text) else {
        throw MonitorVariable.profile.bad(text, expected: SettingRange.profileRate.expected)
      }
      configuration.profileRate = rate
    }
    if let interval = try MonitorVariable.driftInterval.interval(in: .driftInterval) {
      configuration.driftInterval = interval.nanoseconds.map { Duration(nanoseconds: $0) }
    }
    if let text = MonitorVariable.keep.value {
      guard let limits = RetentionLimits(text) else {
        throw MonitorVariable.keep.bad(text, expected: RetentionLimits.expected)
      }
      configuration.retention = Retention(limits)
    }
    return configuration
  }

  /// Whether this monitor is embedded in a program that is being recorded from outside.
  var leavesHooksToInjected: Bool { origin != "injected" && MonitorVariable.inject.value != nil }
}
