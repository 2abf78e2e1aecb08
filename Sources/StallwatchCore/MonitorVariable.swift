/// The environment variables that configure the monitor inside a program. `stallwatch record` sets them; the embedded
/// library reads the first five and ``disable`` too. This is the one place where they are named.
public enum MonitorVariable: String, CaseIterable, Sendable {
  /// Path of the store that the session is added to.
  case store = "STALLWATCH_STORE"
  /// A span of at least this is a stall: a duration such as `50ms`.
  case threshold = "STALLWATCH_THRESHOLD"
  /// How often a held thread is looked at while its stall goes on: a duration such as `10ms`.
  case sampleEvery = "STALLWATCH_SAMPLE_EVERY"
  /// How many times a second busy loops are looked at for a profile: a number, 1 to 1000.
  case profile = "STALLWATCH_PROFILE"
  /// The time between two ticks of the drift probe: a duration such as `100ms`, or `off`.
  case driftInterval = "STALLWATCH_DRIFT_INTERVAL"
  /// `1` keeps the monitor out of the program, embedded or injected.
  case disable = "STALLWATCH_DISABLE"
  /// Path of libStallwatchInject, which the preloaded hooks bring in before the first run of a loop.
  case inject = "STALLWATCH_INJECT"
  /// The Swift runtime that libStallwatchInject needs: `libswiftCore.so=BUILD-ID,libFoundation.so=BUILD-ID`. Into a
  /// program that has loaded another one it is not brought.
  case runtime = "STALLWATCH_RUNTIME"
  /// Path of the file to which the preloaded hooks add a line for each process: that it is watched, or why not.
  case notes = "STALLWATCH_NOTES"
}
