import CStallwatch
import StallwatchCore

/// The kernel's count of how long the calling thread was runnable without a processor. Used on one thread, which need
/// not be the one that made it.
final class RunDelayCount {
  #if os(Linux)
    /// From the second reading on its file stays open: opening it takes most of a reading.
    private var kept = stallwatch_thread_without_files(0)
    /// How often it was read since it was closed.
    private var readings = 0

    deinit { stallwatch_release_thread(&kept) }

    /// In nanoseconds since the thread began, up to when it last got a processor; nil where unknown.
    func read() -> Nanoseconds? {
      readings += 1
      if readings == 1 { kept.thread_id = stallwatch_thread_id() }
      if readings == 2 { kept.keeps_times = true }
      var runDelay: Nanoseconds = 0
      return stallwatch_kept_thread_run_delay(&kept, &runDelay) ? runDelay : nil
    }

    /// Closes the file: the next reading is far off.
    func rest() {
      stallwatch_release_thread(&kept)
      readings = 0
    }
  #else
    // The kernel keeps none that a process can read of its own threads.
    func read() -> Nanoseconds? { nil }
    func rest() {}
  #endif
}
