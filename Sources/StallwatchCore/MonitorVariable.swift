/// The environment variables that configure the monitor inside a program. No other Swift code spells their names.
/// `stallwatch record` sets them; the embedded library reads the first eleven and ``disable``.
package enum MonitorVariable: String, CaseIterable, Sendable {
  /// The path of the store to which the monitor adds the session.
  case store = "STALLWATCH_STORE"
  /// The threshold from which a span is a stall: a duration such as `50ms`.
  case threshold = "STALLWATCH_THRESHOLD"
  /// The time between two looks at a held thread while its stall goes on: a duration such as `10ms`, or `off`.
  case sampleEvery = "STALLWATCH_SAMPLE_EVERY"
  /// How many times a second the profile samples busy loops: a number, 1 to 1000.
  case profile = "STALLWATCH_PROFILE"
  /// The time between two ticks of the drift probe: a duration such as `100ms`, or `off`.
  case driftInterval = "STALLWATCH_DRIFT_INTERVAL"
  /// What the store keeps: an age, a size or both such as `7d,64MB`, or `all`.
  case keep = "STALLWATCH_KEEP"
  /// What the session's program is called, its version, where and on what it runs: see ``SessionLabels``.
  case service = "STALLWATCH_SERVICE"
  case release = "STALLWATCH_RELEASE"
  case environment = "STALLWATCH_ENVIRONMENT"
  case instance = "STALLWATCH_INSTANCE"
  /// Its tags: `NAME=VALUE`, with commas between them; see ``SessionLabels/tags(inList:)``.
  case tags = "STALLWATCH_TAGS"
  /// `1` keeps the monitor out of the program, embedded or injected.
  case disable = "STALLWATCH_DISABLE"
  /// The path of libStallwatchInject, which the preloaded hooks load before the first run of a loop.
  case inject = "STALLWATCH_INJECT"
  /// The Swift runtime that libStallwatchInject needs: `libswiftCore.so=BUILD-ID,libFoundation.so=BUILD-ID`. The hooks
  /// do not load it into a program with another runtime.
  case runtime = "STALLWATCH_RUNTIME"
  /// The path of the file to which the preloaded hooks add a line for each process: it is watched, or why not.
  case notes = "STALLWATCH_NOTES"
}

extension MonitorVariable {
  /// The variable of a label.
  package init(_ label: SessionLabels.Name) {
    switch label {
    case .service: self = .service
    case .release: self = .release
    case .environment: self = .environment
    case .instance: self = .instance
    }
  }
}
