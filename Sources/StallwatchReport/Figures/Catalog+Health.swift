import StallwatchCore
import StallwatchStore

extension Catalog {
  static let standardHealth: [Measure<HealthFigures, Never>] = [
    .count("losses", "records that did not fit") { $0.lossCount }.withoutJSON().limited(),
    .duration("blind", "unobserved time: the process ran, but the monitor could not see it") { $0.blind }
      .limited().exported("blind"),
    .share("blind_share", "the share of watched time that went unobserved") { $0.share($0.blind) }
      .withoutJSON().limited(),
    .duration("excluded", "time for which the process or the machine did not run") { $0.excluded }
      .limited().exported("excluded"),
    .duration("observer", "time in the monitor's observers on watched threads, an estimate") { $0.observerTotal }
      .json("observer_ns_total"),
    .duration("monitor_cpu", "CPU time of the monitor's own threads") { $0.monitorCPU }.exported("monitor_cpu"),
    .share("monitor_share", "CPU time of the monitor's own threads per watched time") { $0.share($0.monitorCPU) }
      .withoutJSON().limited(),
    .distribution("watchdog_lateness", "how late the watchdog's timed sleeps ended") { $0.watchdogLateness },
    .count("wakeups", "how often the watchdog woke up") { $0.wakeups }.json("wakeups_caused"),
    .count("drift_wakeups", "how many wake-ups of loops, the watchdog and the GCD timer the drift probe caused") {
      $0.driftWakeups
    },
  ]
}
