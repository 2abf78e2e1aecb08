import StallwatchCore
import StallwatchProbe
import StallwatchStore

extension Configuration {
  /// How the probe is to watch. Throws ``MonitorError/badSetting(name:value:expected:)``.
  func probe() throws(MonitorError) -> ProbeConfiguration {
    var probe = ProbeConfiguration()
    probe.threshold = try Self.nanoseconds(threshold, "threshold", .threshold)
    probe.watchesEveryLoop = watchesEveryLoop
    probe.usesHooks = !leavesHooksToInjected
    if let sampleInterval {
      probe.sampleInterval = try Self.nanoseconds(sampleInterval, "sampleInterval", .sampleInterval)
    } else {
      probe.sampleInterval = nil
    }
    if let profileRate {
      guard SettingRange.profileRate.contains(profileRate) else {
        throw .badSetting(name: "profileRate", value: "\(profileRate)", expected: SettingRange.profileRate.expected)
      }
      probe.profileInterval = .second / Nanoseconds(profileRate)
    }
    if let driftInterval {
      probe.driftInterval = try Self.nanoseconds(driftInterval, "driftInterval", .driftInterval)
    }
    probe.driftModes = driftModes
    probe.startUpNs = startUpNs
    return probe
  }

  private static func nanoseconds(
    _ duration: Duration, _ name: String, _ range: SettingRange<Nanoseconds>
  ) throws(MonitorError) -> Nanoseconds {
    guard let value = duration.nanoseconds, range.contains(value) else {
      throw .badSetting(name: name, value: "\(duration)", expected: range.expected)
    }
    return value
  }

  /// The record of this process as a session that begins now, with these labels, whose stalls begin at this threshold.
  func session(_ labels: SessionLabels, threshold: Nanoseconds) -> SessionRecord {
    var session = SessionRecord(
      process: .current(), command: CommandLine.arguments, startedAt: Probe.wallClock(), startedNs: Probe.now(),
      threshold: threshold, origin: origin, platform: Self.platform)
    session.labels = labels
    session.programBuildID = Probe.programBuildID()
    return session
  }

  private static let platform: String = {
    #if os(Linux)
      let system = "linux"
    #elseif os(macOS)
      let system = "macos"
    #else
      let system = "apple"
    #endif
    #if arch(x86_64)
      return "\(system) x86_64"
    #elseif arch(arm64)
      return "\(system) arm64"
    #else
      return "\(system) unknown"
    #endif
  }()
}
