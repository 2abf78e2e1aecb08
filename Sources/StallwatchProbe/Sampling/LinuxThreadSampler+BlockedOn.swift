#if os(Linux)
  import CStallwatch
  import StallwatchLibc
  import StallwatchCore

  /// What a blocked thread waits for.
  struct FoundWait {
    var blockedOn: BlockedOn
    /// Whether the system call and its arguments alone said it.
    var isPlain = false
    /// Its wait for a futex; nil where it waits for something else.
    var futex: FutexWait?
    /// The file that it waits for; nil where it waits for something else.
    var file: WaitedFile?
    /// CPU time of the lock's owner before its stack was read; 0 without one.
    var ownerCPU: Nanoseconds = 0
  }

  extension LinuxThreadSampler {
    /// What a blocked thread is blocked on. For a lock also who holds it and where that thread stands, all at one time:
    /// nil when the thread has moved meanwhile, which `isStill` says.
    func resolve(_ call: SystemCall?, of threadID: UInt64, while isStill: () -> Bool) -> FoundWait? {
      var found = wait(in: call, of: threadID)
      guard !found.isPlain else { return found }
      found.futex = call.flatMap { found.blockedOn.systemCall == "futex" ? FutexWait($0) : nil }
      let holder = found.futex?.owner()
      if let holder, holder != threadID {
        found.ownerCPU = stallwatch_thread_cpu(holder)
        found.blockedOn.owner = lockOwner(holder)
      }
      guard isStill() else { return nil }
      // The lock may have gone to another thread during the look at its owner.
      if found.blockedOn.owner != nil, found.futex?.owner() != holder { found.blockedOn.owner = nil }
      return found
    }

    /// What a call waits for, without a lock's owner. A look that finds the same call at the same file as the last one at
    /// this hold need not ask for the file's path again.
    private func wait(in call: SystemCall?, of threadID: UInt64) -> FoundWait {
      let last = followed(threadID)?.last
      if let last, last.found.isPlain, last.captured.systemCall == call { return last.found }
      let file = call.flatMap(WaitedFile.init)
      if let last, file != nil, last.found.file == file, last.captured.systemCall?.number == call?.number {
        return last.found
      }
      let isPlain = call.map(BlockedOnResolver.isPlain) ?? false
      return FoundWait(
        blockedOn: BlockedOnResolver(process: .own).resolve(call, letter: letter(of: threadID)), isPlain: isPlain,
        file: file)
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
      var now = self.snapshot(of: threadID)
      return stallwatch_is_same_snapshot(&before, &now)
    }
  }

  extension SystemCall {
    /// The call that a snapshot of a blocked thread shows.
    init(_ snapshot: stallwatch_thread_snapshot) {
      number = Int(snapshot.number)
      arguments = withUnsafeBytes(of: snapshot.arguments) { Array($0.bindMemory(to: UInt64.self)) }
    }
  }
#endif
