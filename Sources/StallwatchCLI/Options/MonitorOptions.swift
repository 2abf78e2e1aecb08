import ArgumentParser
import StallwatchCore

/// How `record` configures the monitor. The environment decides what is not given, and then the monitor's defaults.
struct MonitorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A span of at least this duration is a stall. Default: 50ms.", valueName: "duration"),
    transform: DurationArgument.parse)
  var threshold: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "The interval between samples of a held thread, after the threshold, or 'off'. Default: 10ms.",
      valueName: "duration|off"),
    transform: { try Self.interval($0, in: .sampleInterval) })
  var sampleEvery: IntervalSetting?

  @Option(
    help: ArgumentHelp(
      "Also sample busy loops this many times a second, to profile what keeps them busy.", valueName: "hz"))
  var profile: Int?

  @Option(
    help: ArgumentHelp(
      "The interval between ticks of the drift probe, 10ms to 1h, or 'off'. The probe separates a loop's lateness from "
        + "the machine's. Default: 100ms.",
      valueName: "duration|off"),
    transform: { try Self.interval($0, in: .driftInterval) })
  var driftInterval: IntervalSetting?

  @Option(
    help: ArgumentHelp(
      "What the store keeps: an age, a size or both, or 'all'. A limit that is not given keeps its default: 30d,64MB.",
      valueName: "age,size|all"),
    transform: Self.limits)
  var keep: KeptLimits?

  @Sendable
  private static func limits(_ text: String) throws -> KeptLimits {
    guard RetentionLimits(text) != nil else { throw ValidationError("it must be \(RetentionLimits.expected)") }
    return KeptLimits(text: text)
  }

  private static func interval(_ text: String, in range: SettingRange<Nanoseconds>) throws -> IntervalSetting {
    if let interval = IntervalSetting(text, in: range) { return interval }
    let isDuration = DurationNotation.parse(text) != nil
    throw ValidationError(
      isDuration ? "it must be \(range.expectedOrOff)" : "\(DurationArgument.remedy(for: text)), or 'off'")
  }

  func validate() throws {
    // The monitor does not start with values outside these ranges.
    if let threshold, !SettingRange.threshold.contains(threshold.nanoseconds) {
      throw ValidationError("The threshold must be \(SettingRange.threshold.expected).")
    }
    if let profile, !SettingRange.profileRate.contains(profile) {
      throw ValidationError("The profile rate must be \(SettingRange.profileRate.expected).")
    }
  }

  /// Passes the options to the monitor through the environment.
  func set(in environment: inout ProgramEnvironment) {
    if let threshold { environment.set(.threshold, to: DurationNotation.exact(threshold.nanoseconds)) }
    if let sampleEvery { environment.set(.sampleEvery, to: sampleEvery.text) }
    if let driftInterval { environment.set(.driftInterval, to: driftInterval.text) }
    if let keep { environment.set(.keep, to: keep.text) }
    if let profile { environment.set(.profile, to: String(profile)) }
  }
}

/// Limits of what a store keeps that were found good, as they were written.
struct KeptLimits: Equatable {
  var text: String
}
