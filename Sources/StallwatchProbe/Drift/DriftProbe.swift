import StallwatchCore

/// The watchdog's side of the drift probe: wakes waiting loops when a tick is due, and runs the control while a loop is
/// inside a run. Used on the watchdog's thread only.
final class DriftProbe {
  let grid: DueGrid
  var control: ControlTicks
  /// Which ticks are asked for.
  var rest: RestingTicks
  /// The loop that the last tick at rest was asked of.
  var lastAsked: LoopID?
  /// Complete ticks of a program that rests, oldest first.
  var kept: [DriftTick] = []
  /// Wake-ups of loops, of the control, and of the watchdog for a tick.
  var wakeups: UInt64 = 0
  /// When the probe last asked which modes are common.
  private var modesSeenNs: Nanoseconds = 0
  /// Modes that the probe ticks in besides a loop's common modes.
  private let modes: [String]
  /// How long a loop other than the main one goes without ticks.
  private let patience: Nanoseconds
  /// Whether the watchdog handed on ticks since the last flush.
  var hasUnflushedTicks = false

  private let timer: ControlTimer

  /// How long after its due time the watchdog looks again at the tick of a held loop. A loop serves a due tick before
  /// it waits; but one that read its clock just before the due time waits without it, though it looked held just after.
  private static let recheck: Nanoseconds = 1 * .millisecond
  /// How often the probe asks again which modes are common. A program makes a mode common once, at its start, and
  /// asking takes CF's lock on the loop for some microseconds.
  private static let modesInterval: Nanoseconds = 1 * .second

  /// Nil when the drift probe is off, so that the registry has no grid of ticks.
  init?(registry: LoopRegistry, modes: [String]) {
    guard let grid = registry.grid else { return nil }
    self.grid = grid
    control = ControlTicks(interval: grid.interval)
    rest = RestingTicks(grid: grid)
    self.modes = modes
    patience = min(ProbeConfiguration.driftPatience, 10 * grid.interval)
    timer = ControlTimer(grid: grid)
  }

  /// Begins the ticks of the run loops that have become old enough: nobody can add a tick to another lane.
  func begin(_ loops: [WatchedLoop], at now: Nanoseconds) {
    for watched in loops where watched.kind == .runLoop && watched.drift == nil && now >= beginNs(of: watched) {
      // A loop that has never turned serves no tick. Under an async main the main thread ends without having run its loop,
      // and CF prints a complaint for each observer that is added from then on, as the look at common modes does.
      if watched.memory.region.threadID != 0 { watched.beginTicks(of: grid, in: modes, at: now) }
    }
  }

  /// When a loop's ticks begin.
  private func beginNs(of watched: WatchedLoop) -> Nanoseconds {
    watched.isMain ? watched.startedNs : watched.startedNs.saturatingAdd(patience)
  }

  /// Takes the control's fires.
  func takeFires() {
    for fire in timer.drain() {
      wakeups += 1
      control.fire(fire.number, lateness: fire.lateness)
    }
  }

  /// Starts the control once a loop is inside a run, unless the program rests.
  func startControl(_ loops: [WatchedLoop], at now: Nanoseconds) {
    if !rest.isResting, isTicking(loops), let next = timer.start(at: now) { control.pass(to: next) }
  }

  /// Whether the control should tick: a loop with ticks is inside a run.
  func isTicking(_ loops: [WatchedLoop]) -> Bool {
    loops.contains { $0.drift != nil && !$0.memory.region.position.isOutside }
  }

  /// Pauses the control while the watchdog is parked, because no loop is inside a run.
  func pause() { timer.pause() }

  /// Stops the control for good, at the end of watching.
  func stop() { timer.stop() }

  /// When the watchdog next has to look at a tick or begin a loop's ticks; nil while no loop is inside a run.
  func nextLook(_ loops: [WatchedLoop], at now: Nanoseconds) -> Nanoseconds? {
    var next: Nanoseconds?
    var isTicking = false
    for watched in loops {
      let region = watched.memory.region
      let position = region.position
      guard !position.isOutside else { continue }
      if watched.drift == nil {
        let begin = beginNs(of: watched)
        if begin > now, watched.kind == .runLoop { next = min(next ?? .max, begin) }
      } else {
        isTicking = true
      }
      let due = region.tickDue
      if due <= now, due + Self.recheck > now, position.spanStart != nil {
        next = min(next ?? .max, due + Self.recheck)
      }
    }
    return isTicking ? min(next ?? .max, rest.nextNs ?? grid.due(grid.count(until: now))) : next
  }

  /// Whether something that concerns a tick is about to happen: a loop was woken within `time` and may be on its way, or
  /// the control's fire is not in yet, without which no rest begins.
  func isAwaiting(_ loops: [WatchedLoop], for time: Nanoseconds, at now: Nanoseconds) -> Bool {
    if rest.awaitsControl, now.since(grid.due(grid.count(until: now) &- 1)) < time { return true }
    return loops.contains { watched in
      guard let drift = watched.drift else { return false }
      return watched.memory.region.isInTickWake || drift.wokenNs.map { now.since($0) < time } ?? false
    }
  }

  /// Counts a wake-up of the watchdog for a tick.
  func noteWakeup() { wakeups += 1 }

  /// Whether it is time to ask again which modes are common; notes the time if it is.
  func areModesDue(at now: Nanoseconds) -> Bool {
    guard now.since(modesSeenNs) >= Self.modesInterval else { return false }
    modesSeenNs = now
    return true
  }
}
