import Dispatch
import StallwatchCore
import Synchronization

/// The control of the drift probe: a GCD timer for all loops, strict and without leeway, on a queue of its own that
/// nothing else uses. What makes it late is the machine, not a loop.
///
/// `DispatchTime`'s uptime is the clock that records are told in (`CLOCK_MONOTONIC`, on Apple's systems
/// `CLOCK_UPTIME_RAW`), so the timer is set to the grid itself, and a step of the wall clock does not touch it.
final class ControlTimer: @unchecked Sendable {
  /// A fire, and the tick it was for.
  struct Fire {
    var number: UInt64
    var lateness: Nanoseconds
  }

  private struct State {
    /// The tick that it fires for next.
    var next: UInt64 = 0
    /// Not taken yet.
    var fires: [Fire] = []
  }

  /// Fires that wait to be taken: as many as ticks in a loop's queue. Beyond that the oldest are let go.
  private static let capacity = TickQueue.capacity

  private let grid: DueGrid
  private let state = Lock(State())
  // Used by the watchdog's thread only; the handler is called on the queue.
  private let source: any DispatchSourceTimer
  private var isRunning = false

  init(grid: DueGrid) {
    self.grid = grid
    // The highest class, so that it is late only where everybody is.
    let queue = DispatchQueue(label: "stallwatch.drift", qos: .userInteractive)
    source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    source.setEventHandler { [weak self] in self?.fired(at: Platform.now()) }
  }

  deinit { stop() }

  /// Fires from the first tick after `now`. Returns that tick's number; nil when it is running already.
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

  /// Fires no more until it is started again.
  func pause() {
    guard isRunning else { return }
    isRunning = false
    source.suspend()
  }

  /// Fires never again.
  func stop() {
    source.cancel()
    // A suspended source must not be released.
    if !isRunning { source.resume() }
    isRunning = true
  }

  /// The fires since the last call, oldest first.
  func take() -> [Fire] {
    state.withLock { state in
      defer { state.fires.removeAll(keepingCapacity: true) }
      return state.fires
    }
  }

  private func fired(at now: Nanoseconds) {
    state.withLock { state in
      let after = grid.count(until: now)
      // Else it was made for a tick before a pause.
      guard after > state.next else { return }
      if state.fires.count == Self.capacity { state.fires.removeFirst() }
      state.fires.append(Fire(number: state.next, lateness: now - grid.due(state.next)))
      state.next = after
    }
  }
}
