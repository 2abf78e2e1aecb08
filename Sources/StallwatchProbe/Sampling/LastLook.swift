#if os(Linux)
  import CStallwatch
  import StallwatchCore

  /// What a look at a blocked thread found, for the next look: a thread whose clock has not moved since has not run, so
  /// it stands where it stood, in the same system call with the same arguments.
  final class LastLook {
    let snapshot: stallwatch_thread_snapshot
    /// The thread's CPU time.
    @exclusivity(unchecked) var cpu: Nanoseconds
    @exclusivity(unchecked) var captured: CapturedStack
    /// What it waits for.
    @exclusivity(unchecked) var found: FoundWait
    /// Whether it ran a task. What awaits its functions may change while its stack stays the same.
    let runsTask: Bool

    init(
      _ snapshot: stallwatch_thread_snapshot, cpu: Nanoseconds, captured: CapturedStack, found: FoundWait,
      runsTask: Bool
    ) {
      (self.snapshot, self.cpu, self.captured, self.found) = (snapshot, cpu, captured, found)
      self.runsTask = runsTask
    }
  }

  extension LinuxThreadSampler {
    /// Keeps what a look at a blocked thread found.
    func remember(_ look: @autoclosure () -> LastLook, of thread: FollowedThread?) {
      guard let thread else { return }
      let look = look()
      // In no system call it waits for a page or is stopped, which only a look can tell.
      thread.last = areClocksFine && look.snapshot.number >= 0 ? look : nil
      thread.wasBlocked = true
    }

    func stays(threadID: UInt64, since atNs: Nanoseconds) -> ThreadReading? {
      guard let thread = followed(threadID), let last = thread.last, last.captured.atNs == atNs else { return nil }
      thread.beginLook()
      stallwatch_begin_reading()
      defer { stallwatch_end_reading() }
      guard let reading = standing(thread, last), waitsAsBefore(last) else { return nil }
      last.captured.atNs = reading.atNs
      health.withoutSignal += 1
      return reading
    }

    /// When and with what CPU time a thread stood where the last look found it; nil if it stands elsewhere.
    private func standing(_ thread: FollowedThread, _ last: LastLook) -> ThreadReading? {
      let cpu = stallwatch_thread_cpu(thread.threadID)
      let reading = ThreadReading(atNs: Platform.now(), cpu: cpu, .blocked)
      // Its clock stands still, too, when it is runnable and waits for a processor.
      let stands = thread.wasBlocked && thread.stands()
      if stands, cpu == last.cpu { return reading }
      if stands, hasComeBack(thread, last), hasNotRun(thread.threadID, since: cpu) {
        last.cpu = cpu
        return reading
      }
      thread.movedCPU = cpu
      return nil
    }

    /// Whether a thread that has run since is blocked in the same place and waits for the same, which is no lock.
    private func hasComeBack(_ thread: FollowedThread, _ last: LastLook) -> Bool {
      guard !last.runsTask, let trail = thread.trail, last.found.isPlain || waitsForFileAsBefore(last) else {
        return false
      }
      return walker.isOn(trail, last.snapshot)
    }

    private func waitsForFileAsBefore(_ last: LastLook) -> Bool {
      guard let file = last.found.file else { return false }
      return last.captured.systemCall.flatMap(WaitedFile.init) == file
    }

    /// Whether the lock that a thread waits for, which has not moved, is held by whom the last look found, who has not
    /// moved either. Without running nobody gives a lock up.
    private func waitsAsBefore(_ last: LastLook) -> Bool {
      guard let wait = last.found.futex else { return true }
      guard let owner = last.captured.blockedOn?.owner?.threadID else {
        return !wait.mayHaveOwner || wait.owner() == nil
      }
      return stallwatch_thread_cpu(owner) == last.found.ownerCPU
    }

    /// The last look, taken again, if the thread has not run since; nil if it has, or wants to.
    func repeatLook(at thread: FollowedThread) -> (CapturedStack, ThreadReading)? {
      guard thread.movedCPU == nil, thread.wasBlocked, let last = thread.last, let reading = standing(thread, last)
      else { return nil }
      if !waitsAsBefore(last) {
        // Somebody else has the lock now, or its holder has moved.
        let threadID = thread.threadID
        guard
          let found = resolve(last.captured.systemCall, of: threadID, while: { hasNotRun(threadID, since: last.cpu) })
        else { return nil }
        last.captured.wait = ThreadWait(last.captured.systemCall, on: found.blockedOn)
        last.found = found
      }
      last.captured.atNs = reading.atNs
      return (last.captured, reading)
    }

    /// Whether a thread that was blocked has not run since its clock stood at `cpu`.
    func hasNotRun(_ threadID: UInt64, since cpu: Nanoseconds) -> Bool { stallwatch_thread_cpu(threadID) == cpu }
  }
#endif
