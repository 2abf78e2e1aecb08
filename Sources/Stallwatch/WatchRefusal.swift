import StallwatchProbe

/// Why a loop or a timer is not watched. The program runs on without it.
public enum WatchRefusal: Sendable, CustomStringConvertible {
  /// The monitor has stopped, the environment keeps it out, or this process was forked from the one that started it.
  case notRunning
  /// As many loops or timers are watched as there is room for. The store counts this one as a loss.
  case noRoom
  /// The loop of the calling thread is not watched.
  case loopNotWatched
  /// The timer fires once, and StallwatchHooks show it: it has no ledger that could get a name.
  case oneShot
  /// No CFRunLoopTimer was found in Foundation's timer.
  case noRunLoopTimer

  /// One line with the reason and the way out.
  public var description: String {
    switch self {
    case .notRunning: "the monitor is not running in this process; start one"
    case .noRoom: "there is no room for another; end some that are watched"
    case .loopNotWatched: "the calling thread's loop is not watched; call watchCurrentLoop(name:) on this thread first"
    case .oneShot: "the timer fires once, and only repeating timers have a ledger with a name here"
    case .noRunLoopTimer: "no CFRunLoopTimer was found in this Timer; give the CFRunLoopTimer itself"
    }
  }

  init(_ refusal: TimerRefusal) {
    self =
      switch refusal {
      case .notRunning: .notRunning
      case .noRoom: .noRoom
      case .loopNotWatched: .loopNotWatched
      case .oneShot: .oneShot
      }
  }
}
