import StallwatchCore
import StallwatchStore

/// The time of a loop or a mode by what the loop did: the one definition of busy, waiting and utilization.
package struct LoopTime: Sendable, Equatable {
  /// Time in runs without waiting: in the phases `prepare`, `sources` and `service`.
  package private(set) var busy: Nanoseconds = 0
  /// Time in the phase `waiting`.
  package private(set) var waiting: Nanoseconds = 0

  /// No time.
  package init() {}

  /// The time in a mode. Of a lane of items, whose waits and services overlap, and of a part of a session, the windows
  /// tell it.
  init(_ mode: StoredMode) {
    if mode.laneKind.isOfItems || mode.isCutByTime {
      (busy, waiting) = (mode.windowsBusy, mode.windowsWaiting)
    } else {
      for phase in Phase.allCases { add(mode.metrics[Metric(phase)]?.total ?? 0, in: phase) }
    }
  }

  /// Adds time that the loop spent in `phase`.
  package mutating func add(_ time: Nanoseconds, in phase: Phase) {
    switch phase {
    case .prepare, .sources, .service: busy = busy.saturatingAdd(time)
    case .waiting: waiting = waiting.saturatingAdd(time)
    }
  }

  /// Adds time in spans, and time in waits.
  package mutating func add(busy: Nanoseconds, waiting: Nanoseconds) {
    self.busy = self.busy.saturatingAdd(busy)
    self.waiting = self.waiting.saturatingAdd(waiting)
  }

  /// Adds the time of another mode or loop.
  package mutating func add(_ other: LoopTime) {
    (busy, waiting) = (busy.saturatingAdd(other.busy), waiting.saturatingAdd(other.waiting))
  }

  /// The time since an earlier moment; 0 where that had more.
  package func since(_ earlier: LoopTime) -> LoopTime {
    var time = LoopTime()
    (time.busy, time.waiting) = (busy.since(earlier.busy), waiting.since(earlier.waiting))
    return time
  }

  /// Busy and waiting together.
  package var whole: Nanoseconds { busy.saturatingAdd(waiting) }

  /// busy ÷ (busy + waiting), 0…1, which is 1 minus the waiting share; nil when both are 0.
  package var utilization: Double? {
    whole > 0 ? Double(busy) / (Double(busy) + Double(waiting)) : nil
  }
}
