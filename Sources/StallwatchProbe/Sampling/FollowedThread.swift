#if os(Linux)
  import CStallwatch
  import StallwatchCore

  /// A held thread that is looked at again and again: all that one look knows for the next, in one place. From the second
  /// look on its files in /proc stay open, through later holds, too, and so does the way to memory meanwhile: opening them
  /// takes most of a look. Most holds end before they are stalls, and have one look.
  final class FollowedThread {
    let threadID: UInt64
    /// What the last look found where the thread was blocked; nil where it was not.
    @exclusivity(unchecked) var last: LastLook?
    /// The frames of the last look, which the next has mostly, too.
    @exclusivity(unchecked) var lastFrames: [UInt64] = []
    /// Its CPU time at the beginning of this look, where that has shown that it has moved.
    @exclusivity(unchecked) var movedCPU: Nanoseconds?
    /// Whether the last look found it blocked.
    @exclusivity(unchecked) var wasBlocked = false
    /// Since when it is not held; 0 while it is.
    @exclusivity(unchecked) private(set) var restsSinceNs: Nanoseconds = 0
    /// Whether its files stay open between looks.
    let keepsFiles: Bool
    @exclusivity(unchecked) private var kept: stallwatch_kept_thread
    @exclusivity(unchecked) private var looks = 0
    /// What the last walks of its stack found; nil before the second look.
    @exclusivity(unchecked) private(set) var trail: UnsafeMutablePointer<stallwatch_trail>?

    init(_ threadID: UInt64, keepsFiles: Bool = false) {
      self.threadID = threadID
      self.keepsFiles = keepsFiles
      kept = stallwatch_thread_without_files(threadID)
    }

    deinit { trail.map(stallwatch_trail_destroy) }

    /// Notes that a look begins.
    func beginLook() {
      restsSinceNs = 0
      looks += 1
      guard looks == 2 else { return }
      if keepsFiles { stallwatch_keep_thread(&kept) }
      trail = stallwatch_trail_create()
    }

    /// What the kernel says of the thread now.
    func snapshot() -> stallwatch_thread_snapshot { stallwatch_look_at_kept_thread(&kept) }

    /// Whether the kernel says what it said at the last snapshot, and that was of a blocked thread.
    func stands() -> Bool { stallwatch_kept_thread_stands(&kept) }

    /// Notes that a look ends.
    func endLook() {
      movedCPU = nil
      kept.is_fresh = false
    }

    /// How long it was runnable without a processor; nil where the kernel does not say.
    func runDelay() -> Nanoseconds? {
      var runDelay: Nanoseconds = 0
      return stallwatch_kept_thread_run_delay(&kept, &runDelay) ? runDelay : nil
    }

    /// Notes that the hold is over. What was found in it is forgotten, but for its stack's trail: a thread that serves a
    /// loop stands deep in the same functions whenever it is held. Returns whether files stay open.
    func rest() -> Bool {
      (last, movedCPU, wasBlocked) = (nil, nil, false)
      restsSinceNs = Platform.now()
      return keepsFiles && trail != nil
    }

    /// Closes the files.
    func end() { stallwatch_release_thread(&kept) }
  }

  extension LinuxThreadSampler {
    /// The most threads whose files stay open at one time: with one for memory and one for ``RunDelayCount``, no more
    /// descriptors are ours than there are numbers for kept files.
    private static let mostKept = 7
    /// The most threads that are followed; with more, all are looked at anew.
    private static let mostFollowed = 64

    /// The thread of a number, if it is followed.
    func followed(_ threadID: UInt64) -> FollowedThread? {
      // Mostly one thread is held, and asked for again and again.
      if let lastFollowed, lastFollowed.threadID == threadID { return lastFollowed }
      guard let thread = followed[threadID] else { return nil }
      lastFollowed = thread
      return thread
    }

    /// Notes that the first look at a thread begins which will be looked at again.
    func beginFollowing(_ threadID: UInt64) -> FollowedThread {
      guard followed.count < Self.mostFollowed else { return FollowedThread(threadID) }
      let thread = takeResting(threadID) ?? FollowedThread(threadID, keepsFiles: hasRoomForFiles())
      followed[threadID] = thread
      lastFollowed = thread
      thread.beginLook()
      stallwatch_keep_reading(true)
      return thread
    }

    /// Ends the looks at a thread. Its files stay open for its next hold, as a loop that was held is likely to be held
    /// again: opening them takes most of a first look. They are closed when the thread has ended, for other threads' files,
    /// after some seconds, and before the watchdog parks.
    func endFollowing(_ threadID: UInt64, hasEnded: Bool = false) {
      if let thread = followed.removeValue(forKey: threadID) {
        if lastFollowed === thread { lastFollowed = nil }
        if thread.rest() { resting.append(thread) } else { thread.end() }
      }
      if hasEnded { takeResting(threadID)?.end() }
      if followed.isEmpty, resting.isEmpty { stallwatch_keep_reading(false) }
    }

    func rest(heldBefore moment: Nanoseconds) {
      while let thread = resting.first, thread.restsSinceNs < moment {
        resting.removeFirst()
        thread.end()
      }
      if followed.isEmpty, resting.isEmpty { stallwatch_keep_reading(false) }
    }

    private func takeResting(_ threadID: UInt64) -> FollowedThread? {
      resting.firstIndex { $0.threadID == threadID }.map { resting.remove(at: $0) }
    }

    /// Whether another thread's files may stay open. Closes those that nobody needs for the longest time, if need be.
    private func hasRoomForFiles() -> Bool {
      let inUse = followed.values.count(where: \.keepsFiles)
      if inUse + resting.count >= Self.mostKept, !resting.isEmpty { resting.removeFirst().end() }
      return inUse < Self.mostKept
    }

    /// What the kernel says of a thread now.
    func snapshot(of threadID: UInt64) -> stallwatch_thread_snapshot {
      followed(threadID)?.snapshot() ?? stallwatch_look_at_thread(threadID)
    }

    func runDelay(of threadID: UInt64) -> Nanoseconds? {
      (followed(threadID) ?? FollowedThread(threadID)).runDelay()
    }
  }
#endif
