#if os(Linux)
  import CStallwatch
  import StallwatchLibc
  import StallwatchCore

  extension LinuxThreadSampler {
    /// What a blocked thread is blocked on. For a lock also who holds it and where that thread stands, all at one time:
    /// nil when the thread has moved meanwhile.
    func resolve(_ snapshot: stallwatch_thread_snapshot, _ call: SystemCall?, of threadID: UInt64) -> BlockedOn? {
      var blockedOn = BlockedOnResolver.resolve(call, letter: letter(of: threadID))
      let wait = call.flatMap { blockedOn.systemCall == "futex" ? FutexWait($0) : nil }
      let holder = wait?.owner()
      if let holder, holder != threadID { blockedOn.owner = lockOwner(holder) }
      guard isStill(snapshot, threadID) else { return nil }
      // The lock may have gone to another thread during the look at its owner.
      if blockedOn.owner != nil, wait?.owner() != holder { blockedOn.owner = nil }
      return blockedOn
    }

    private func lockOwner(_ threadID: UInt64) -> LockOwner {
      // Where it stands now, not where it stood at an earlier look.
      let frames = look(at: threadID, resolving: false, since: Platform.now())?.markedFrames ?? []
      let isMain = threadID == UInt64(getpid())
      let name = isMain ? "main" : Platform.name(ofThread: threadID) ?? "thread \(threadID)"
      return LockOwner(threadID: threadID, name: name, frames: frames)
    }

    private func letter(of threadID: UInt64) -> Character {
      var ignored: UInt64 = 0
      return Character(Unicode.Scalar(UInt8(bitPattern: stallwatch_thread_letter(threadID, &ignored))))
    }

    /// Whether a blocked thread has not moved.
    func isStill(_ snapshot: stallwatch_thread_snapshot, _ threadID: UInt64) -> Bool {
      var before = snapshot
      var now = stallwatch_look_at_thread(threadID)
      return stallwatch_is_same_snapshot(&before, &now)
    }
  }
#endif
