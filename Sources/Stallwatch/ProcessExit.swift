import StallwatchLibc
import Synchronization

/// Stops monitors that are still running when the process exits in order.
enum ProcessExit {
  private static let monitors = Mutex<[Monitor]>([])
  private static let isInstalled: Bool = atexit { ProcessExit.stopAll() } == 0

  /// Stops `monitor` at exit, unless it is stopped before.
  static func cover(_ monitor: Monitor) {
    guard isInstalled else { return }
    monitors.withLock { $0.append(monitor) }
  }

  static func release(_ monitor: Monitor) {
    monitors.withLock { monitors in monitors.removeAll { $0 === monitor } }
  }

  private static func stopAll() {
    // A forked child has copies of monitors whose threads and files belong to its parent.
    guard !Monitor.isInForkedChild else { return }
    for monitor in monitors.withLock({ $0 }) { monitor.stop() }
  }
}
