import ArgumentParser
import StallwatchCore

/// How `record` has the monitor watch. What is not given is left to the environment, and then to the monitor's defaults.
struct MonitorOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A span of at least this is a stall. Default: 50ms.", valueName: "duration"))
  var threshold: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "How often a held thread is looked at after the threshold. Default: 10ms.", valueName: "duration"))
  var sampleEvery: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Also look at busy loops this many times a second, for a profile of what keeps them busy.", valueName: "hz"))
  var profile: Int?

  @Option(
    help: ArgumentHelp(
      "The time between two ticks of the drift probe, which tells a loop's lateness from the machine's, 10ms to 1h; or "
        + "'off'. Default: 100ms.",
      valueName: "duration|off"))
  var driftInterval: DriftInterval?

  func validate() throws {
    // Below this the monitor does not start.
    for (name, given) in [("threshold", threshold), ("sample interval", sampleEvery)] {
      if let given, given.nanoseconds < .millisecond { throw ValidationError("The \(name) must be 1ms or more.") }
    }
    if let profile, !(1...1_000).contains(profile) {
      throw ValidationError("The profile takes 1 to 1000 looks a second.")
    }
  }

  /// Tells the monitor.
  func set(in environment: inout ProgramEnvironment) {
    if let threshold { environment.set(.threshold, to: DurationNotation.exact(threshold.nanoseconds)) }
    if let sampleEvery { environment.set(.sampleEvery, to: DurationNotation.exact(sampleEvery.nanoseconds)) }
    if let driftInterval { environment.set(.driftInterval, to: driftInterval.text) }
    if let profile { environment.set(.profile, to: String(profile)) }
  }
}
