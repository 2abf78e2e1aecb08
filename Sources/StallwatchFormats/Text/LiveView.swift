import StallwatchCore
import StallwatchReport
import StallwatchStore

/// A reading, and what changed since an earlier one.
package struct LiveView: Sendable {
  /// A loop's figures, since the earlier reading and in total.
  struct Loop: Sendable {
    var loop: LiveReading.Loop
    /// The share of the time since the earlier reading in which it did not wait; nil where no phase ended since.
    var utilizationNow: Double?
    /// Iterations since the earlier reading.
    var iterationsNow: UInt64
    /// Whether a stall is going on.
    var isHeld: Bool
  }

  /// A timer that dropped fires since the earlier reading.
  struct Timer: Sendable {
    var timer: LiveReading.Timer
    var firedNow: UInt64
    var droppedNow: UInt64
  }

  /// The current reading.
  package let reading: LiveReading
  /// The loops, held ones first, then the busiest since the earlier reading.
  let loops: [Loop]
  /// Timers that fall behind, the worst first; in a recording that has ended, those that ever did.
  let timers: [Timer]

  /// A view of `reading`. `earlier` is some seconds older; nil for the first view.
  package init(_ reading: LiveReading, since earlier: LiveReading?) {
    self.reading = reading
    let before = Dictionary(earlier?.loops.map { ($0.id, $0) } ?? [], uniquingKeysWith: { first, _ in first })
    let held = Set(reading.held.map(\.listed.stall.loop))
    loops = reading.loops.map { loop in
      let old = before[loop.id]
      return Loop(
        loop: loop, utilizationNow: loop.time.since(old?.time ?? LoopTime()).utilization,
        iterationsNow: loop.iterations.since(old?.iterations ?? 0), isHeld: held.contains(loop.id))
    }.sorted {
      ($0.isHeld ? 1 : 0, $0.utilizationNow ?? -1, $1.loop.id) > (
        $1.isHeld ? 1 : 0, $1.utilizationNow ?? -1, $0.loop.id
      )
    }
    let timersBefore = Dictionary(earlier?.timers.map { ($0.id, $0) } ?? [], uniquingKeysWith: { first, _ in first })
    timers = reading.timers.map { timer in
      let old = reading.isRecording ? timersBefore[timer.id] : nil
      return Timer(
        timer: timer, firedNow: timer.fired.since(old?.fired ?? 0), droppedNow: timer.dropped.since(old?.dropped ?? 0))
    }.filter { $0.droppedNow > 0 }.sorted { ($0.droppedNow, $1.timer.id) > ($1.droppedNow, $0.timer.id) }
  }
}
