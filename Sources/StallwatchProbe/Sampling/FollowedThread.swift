#if os(Linux)
  import CStallwatch
  import StallwatchCore

  /// A held thread that is looked at again and again. From the second look on its files in /proc stay open, and so does
  /// the way to memory while any thread is followed: opening them takes most of a look. Most holds end before they are
  /// stalls, and have one look.
  final class FollowedThread {
    private var kept: stallwatch_kept_thread
    private var looks = 0

    init(_ threadID: UInt64) { kept = stallwatch_thread_without_files(threadID) }

    /// Notes that a look begins.
    func beginLook() {
      looks += 1
      if looks == 2 { stallwatch_keep_thread(&kept) }
    }

    /// What the kernel says of the thread now.
    func snapshot() -> stallwatch_thread_snapshot { stallwatch_look_at_kept_thread(&kept) }

    /// How long it was runnable without a processor; nil where the kernel does not say.
    func runDelay() -> Nanoseconds? {
      var runDelay: Nanoseconds = 0
      return stallwatch_kept_thread_run_delay(&kept, &runDelay) ? runDelay : nil
    }

    /// Closes the files.
    func end() { stallwatch_release_thread(&kept) }
  }

  extension LinuxThreadSampler {
    /// The most threads whose files stay open at one time: no more than 15 descriptors are ours, one for memory included.
    private static let mostFollowed = 7

    /// Notes that a look at a thread begins which will be looked at again.
    func beginFollowing(_ threadID: UInt64) {
      if let known = followed[threadID] { return known.beginLook() }
      guard followed.count < Self.mostFollowed else { return }
      followed[threadID] = FollowedThread(threadID)
      followed[threadID]?.beginLook()
      stallwatch_keep_reading(true)
    }

    /// Closes what is open for a thread.
    func endFollowing(_ threadID: UInt64) {
      guard let thread = followed.removeValue(forKey: threadID) else { return }
      thread.end()
      if followed.isEmpty { stallwatch_keep_reading(false) }
    }

    /// What the kernel says of a thread now.
    func snapshot(of threadID: UInt64) -> stallwatch_thread_snapshot {
      followed[threadID]?.snapshot() ?? stallwatch_look_at_thread(threadID)
    }

    func runDelay(of threadID: UInt64) -> Nanoseconds? {
      (followed[threadID] ?? FollowedThread(threadID)).runDelay()
    }
  }
#endif
