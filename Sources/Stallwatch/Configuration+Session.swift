import StallwatchCore
import StallwatchProbe
import StallwatchStore

extension Configuration {
  var probe: ProbeConfiguration {
    var probe = ProbeConfiguration()
    probe.threshold = threshold
    probe.watchesEveryLoop = watchesEveryLoop
    probe.usesHooks = !leavesHooksToInjected
    probe.sampleInterval = sampleInterval
    probe.profileInterval = profileRate.map { .second / Nanoseconds(min(max($0, 1), 1_000)) }
    probe.driftInterval = driftInterval
    probe.driftModes = driftModes
    probe.startUpNs = startUpNs
    return probe
  }

  /// This process as a session that begins now.
  func session() -> SessionRecord {
    SessionRecord(
      process: .current(), command: CommandLine.arguments, startedAt: Probe.wallClock(), startedNs: Probe.now(),
      threshold: threshold, origin: origin, platform: Self.platform)
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
