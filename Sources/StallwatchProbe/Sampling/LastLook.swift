#if os(Linux)
  import CStallwatch
  import StallwatchCore

  /// What a look at a blocked thread found, for the next look: a thread whose clock has not moved since has not run, so
  /// it stands where it stood, in the same system call with the same arguments.
  struct LastLook {
    let snapshot: stallwatch_thread_snapshot
    /// The thread's CPU time.
    let cpu: Nanoseconds
    var captured: CapturedStack
    /// The wait for a lock; nil where the thread waits for something else.
    var wait: FutexWait?
    /// The file that it waits for; nil where it waits for something else.
    var file: WaitedFile?
    /// CPU time of the thread that held the lock; 0 where nobody is known to.
    var ownerCPU: Nanoseconds = 0
  }

  extension LinuxThreadSampler {
    /// The most threads whose last look is kept; with more, all are looked at anew.
    private static let mostLastLooks = 64

    /// Keeps what a look at a blocked thread found.
    func remember(_ look: LastLook, of threadID: UInt64) {
      // In no system call it waits for a page or is stopped, which only a look can tell.
      guard areClocksFine, look.snapshot.number >= 0 else { return lastLooks[threadID] = nil }
      if lastLooks.count >= Self.mostLastLooks { lastLooks.removeAll() }
      lastLooks[threadID] = look
    }

    /// The last look, taken again, if the thread has not run since; nil if it has, or wants to.
    func repeatLook(at threadID: UInt64) -> CapturedStack? {
      guard var last = lastLooks[threadID], stallwatch_thread_cpu(threadID) == last.cpu else { return nil }
      let now = Platform.now()
      // Its clock stands still, too, when it is runnable and waits for a processor.
      guard isStill(last.snapshot, threadID) else { return nil }
      if let wait = last.wait {
        let owner = last.captured.blockedOn?.owner
        let isHeldOn = wait.owner() == owner?.threadID
        if !isHeldOn || owner != nil && stallwatch_thread_cpu(owner?.threadID ?? 0) != last.ownerCPU {
          // Somebody else has the lock now, or its holder has moved.
          guard
            let found = resolve(last.captured.systemCall, of: threadID, while: { hasNotRun(threadID, since: last.cpu) })
          else { return nil }
          last.captured.blockedOn = found.blockedOn
          last.ownerCPU = found.ownerCPU
        }
      }
      last.captured.atNs = now
      lastLooks[threadID] = last
      return last.captured
    }

    /// Whether a thread that was blocked has not run since its clock stood at `cpu`.
    func hasNotRun(_ threadID: UInt64, since cpu: Nanoseconds) -> Bool { stallwatch_thread_cpu(threadID) == cpu }
  }
#endif
