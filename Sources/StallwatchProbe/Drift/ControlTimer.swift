import Dispatch
import StallwatchCore
import Synchronization

/// The control of the drift probe: one GCD timer for all loops, strict and without leeway, on a queue that nothing else
/// uses. If it is late, the machine is to blame and not a loop. It is paused while the program rests.
///
/// `DispatchTime`'s uptime is the clock of all records (`CLOCK_MONOTONIC`; on Apple's systems `CLOCK_UPTIME_RAW`), so
/// the timer fires on the grid itself, and a step of the wall clock does not touch it.
final class ControlTimer: @unchecked Sendable {
  /// A fire, and the tick it served.
  struct Fire {
    var number: UInt64
    var lateness: Nanoseconds
  }

  private struct State {
    /// The tick it fires for next.
    var next: UInt64 = 0
    /// Fires that the watchdog has not taken yet, oldest first.
    var fires: [Fire] = []
  }

  /// The most fires kept for the watchdog, the same as the ticks in a loop's queue. Beyond that the oldest are dropped.
  private static let capacity = SharedQueue<ServedTick>.capacity

  private let grid: DueGrid
  private let state = Lock(State())
  // Used on the watchdog's thread only; the handler runs on the queue.
  private let source: any DispatchSourceTimer
  private var isRunning = false

  init(grid: DueGrid) {
    self.grid = grid
    // The highest class, so that it is late only if everything is.
    // By the label's first part, StallwatchHooks know a queue of the monitor's.
    let queue = DispatchQueue(label: "stallwatch.drift", qos: .userInteractive)
    source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    source.setEventHandler { [weak self] in self?.fired(at: Platform.now()) }
  }

  deinit { stop() }

  /// Starts at the first tick after `now`. Returns that tick's number; nil when the timer runs already.
  func start(at now: Nanoseconds) -> UInt64? {
    guard !isRunning else { return nil }
    isRunning = true
    let next = grid.count(until: now)
    state.withLock { $0.next = next }
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: grid.due(next)), repeating: .nanoseconds(Int(grid.interval)),
      leeway: .nanoseconds(0))
    source.resume()
    return next
  }

  /// Stops firing until the next start.
  func pause() {
    guard isRunning else { return }
    isRunning = false
    source.suspend()
  }

  /// Stops firing for good.
  func stop() {
    source.cancel()
    // A suspended source must not be released.
    if !isRunning { source.resume() }
    isRunning = true
  }

  /// Removes and returns the fires since the last call, oldest first.
  func drain() -> [Fire] {
    state.withLock { state in
      defer { state.fires.removeAll(keepingCapacity: true) }
      return state.fires
    }
  }

  private func fired(at now: Nanoseconds) {
    state.withLock { state in
      let after = grid.count(until: now)
      // Otherwise it is a late fire for a tick before a pause.
      guard after > state.next else { return }
      if state.fires.count == Self.capacity { state.fires.removeFirst() }
      state.fires.append(Fire(number: state.next, lateness: now - grid.due(state.next)))
      state.next = after
    }
  }
}
