import Stallwatch
import StallwatchLibc

/// Starts the monitor as `record` asks in the environment. StallwatchHooks call it once, on the thread whose loop is
/// about to run. Returns NULL when the process is watched, otherwise the reason in one line, for the hooks to note.
/// `waitingSince` is when that thread came to the hooks, on the monotonic clock. The program does not wait for the
/// store: `storeOpened` is called on the store's thread, with NULL once the store is open or the reason why it cannot
/// be opened. Prints nothing.
@_cdecl("stallwatch_inject_start")
public func stallwatchInjectStart(
  waitingSince: UInt64, storeOpened: @escaping @convention(c) (UnsafePointer<CChar>?) -> Void
) -> UnsafePointer<CChar>? {
  var configuration = Configuration()
  configuration.origin = "injected"
  configuration.startUpNs = waitingSince
  configuration.storeOpened = { error in
    guard let error else { return storeOpened(nil) }
    "\(error)".withCString(storeOpened)
  }
  configuration.watchesEveryLoop = true
  // Hooks show the main loop when it first runs; the report must not list one that the program never runs.
  configuration.watchesMainLoop = false
  // A recorded run is watched on purpose: while it works it can spare ten ticks a second, which show what one would miss.
  configuration.driftInterval = .milliseconds(100)
  do {
    injected = try Monitor.start(configuration)
    return nil
  } catch {
    return UnsafePointer(strdup("\(error)"))
  }
}

/// StallwatchHooks call it when the process ends and the monitor has stopped. Returns why the store could not be
/// written in full, in one line for the caller to free, or NULL if it was.
@_cdecl("stallwatch_inject_trouble")
public func stallwatchInjectTrouble() -> UnsafeMutablePointer<CChar>? {
  injected?.trouble.flatMap { strdup($0) }
}

// Written once, before the first watched run; the monitor lives as long as the process.
nonisolated(unsafe) private var injected: Monitor?
