#if os(Linux)
  import CStallwatch
  import StallwatchCore

  /// Linux: reads blocked threads through /proc, and interrupts running ones by a CPU-clock timer.
  ///
  /// It and its parts belong to one thread, the watchdog's. So what they read at each look goes without exclusivity checks,
  /// each of which would call the runtime.
  final class LinuxThreadSampler: ThreadSampler {
    let configuration: SamplerConfiguration
    let walker: StackWalker
    @exclusivity(unchecked) var health = SamplerHealth()
    /// Requests that running threads have not answered yet, by thread.
    @exclusivity(unchecked) var requests: [UInt64: OpenRequest] = [:]
    /// The signals that may ask threads, in order of preference.
    @exclusivity(unchecked) var signals = [
      SignalUse(stallwatch_harmless_signal), SignalUse(stallwatch_profiling_signal),
    ]
    /// The index of the signal that each thread does not block, as far as looked up.
    @exclusivity(unchecked) var takenSignals: [UInt64: Int] = [:]
    /// Where the stacks of running threads lie.
    var stacks = StackBounds()
    /// The pause after the kernel had no timer left.
    var backoff = TimerBackoff()
    /// The threads that are looked at again and again.
    @exclusivity(unchecked) var followed: [UInt64: FollowedThread] = [:]
    /// Threads that are not held now, whose files stay open for their next hold; last the one that was held last.
    @exclusivity(unchecked) var resting: [FollowedThread] = []
    /// The one of `followed` that was looked at last.
    @exclusivity(unchecked) var lastFollowed: FollowedThread?
    /// Whether a thread that has run shows that by its CPU clock, however briefly it ran.
    let areClocksFine = LinuxThreadSampler.threadClocksAreFine()

    /// Until when the looks of this pass wait for running threads.
    var passEnd = Nanoseconds.max

    /// How often to read a thread again that moves while it is read.
    static let attempts = 3

    init?(_ configuration: SamplerConfiguration) {
      guard let walker = StackWalker() else { return nil }
      self.configuration = configuration
      self.walker = walker
    }

    func capture(threadID: UInt64) -> CapturedStack? {
      stallwatch_begin_reading()
      defer { stallwatch_end_reading() }
      let captured = look(at: threadID, resolving: true)
      if let captured { count(captured) }
      return captured
    }

    /// Counts a look that brought a stack.
    func count(_ captured: CapturedStack) {
      switch captured.method {
      case .withoutSignal: health.withoutSignal += 1
      case .interrupted: health.interrupted += 1
      case .later, .notAtAll: break
      }
    }

    func beginPass() { passEnd = Platform.now().saturatingAdd(configuration.passPatience) }

    func note(threadPointer: UInt64, of threadID: UInt64) { stacks.note(threadPointer, of: threadID) }

    func image(at address: UInt64) -> ImageRecord? { walker.images.image(at: address) }

    /// Looks at a thread, and if `resolving` at what it is blocked on. Drops an answer from before `earliest`.
    func look(at threadID: UInt64, resolving: Bool, since earliest: Nanoseconds = 0) -> CapturedStack? {
      // Reading one's own thread would only find the reading.
      guard threadID != stallwatch_thread_id() else { return nil }
      let started = Platform.now()
      let startedCPU = stallwatch_thread_cpu(threadID)
      var moves = 0
      var partial: CapturedStack?
      while true {
        let cpu = stallwatch_thread_cpu(threadID)
        let snapshot = snapshot(of: threadID)
        switch snapshot.state {
        case stallwatch_thread_blocked:
          if let captured = read(snapshot, of: threadID, cpu: cpu, resolving: resolving) {
            withdrawRequest(to: threadID)
            return captured
          }
          moves += 1
          if moves < Self.attempts { continue }
        case stallwatch_thread_runnable: break
        case stallwatch_thread_gone:
          noteEnd(of: threadID)
          return nil
        default:
          health.hidden += 1
          return nil
        }
        var activity = ThreadActivity.running
        switch askRunning(threadID, started: started, since: earliest) {
        case .answered(let captured): return captured
        case .partly(let captured):
          partial = captured
          continue
        case .notYet: continue
        case .later:
          return CapturedStack(threadID: threadID, atNs: Platform.now(), activity: .running, method: .later)
        case .tooLate:
          if let partial { return partial }
          health.unanswered += 1
          if stallwatch_thread_cpu(threadID) == startedCPU { activity = .starved }
        case .refused:
          if let partial { return partial }
          health.refused += 1
        }
        return CapturedStack(threadID: threadID, atNs: Platform.now(), activity: activity, method: .notAtAll)
      }
    }

    /// Forgets a thread that has ended.
    func noteEnd(of threadID: UInt64) {
      withdraw(threadID: threadID)
      endFollowing(threadID, hasEnded: true)
      stacks.forget(threadID)
      takenSignals[threadID] = nil
      health.gone += 1
    }

    /// Reads a blocked thread, whose clock stood at `cpu` before; nil when it has moved meanwhile.
    func read(
      _ snapshot: stallwatch_thread_snapshot, of threadID: UInt64, cpu: Nanoseconds, resolving: Bool
    ) -> CapturedStack? {
      var captured = CapturedStack(threadID: threadID, atNs: Platform.now(), activity: .blocked, method: .withoutSignal)
      // The clock shows it twenty times faster than the system call does.
      func hasStayed() -> Bool { areClocksFine ? hasNotRun(threadID, since: cpu) : isStill(snapshot, threadID) }
      let thread = followed(threadID)
      guard let walk = walker.walk(snapshot, thread?.trail, isStill: hasStayed) else { return nil }
      captured.take(walk, like: thread?.lastFrames)
      let runsTask = walk.pointee.call_count > 0
      let call = systemCall(snapshot, like: thread?.last)
      guard resolving else {
        captured.wait = ThreadWait(call, on: nil)
        return captured
      }
      guard let found = resolve(call, of: threadID, while: hasStayed) else { return nil }
      captured.wait = ThreadWait(call, on: found.blockedOn)
      thread?.lastFrames = captured.frames
      remember(LastLook(snapshot, cpu: cpu, captured: captured, found: found, runsTask: runsTask), of: thread)
      return captured
    }

    /// The system call that a snapshot shows; that of the last look if it is the same.
    private func systemCall(_ snapshot: stallwatch_thread_snapshot, like last: LastLook?) -> SystemCall? {
      guard snapshot.number >= 0 else { return nil }
      var (before, now) = (last?.snapshot ?? stallwatch_thread_snapshot(), snapshot)
      if let last, stallwatch_is_same_call(&before, &now) { return last.captured.systemCall }
      return SystemCall(snapshot)
    }

    /// Reads this thread's own clock until it has moved some times: where the kernel counts in ticks, a thread may run
    /// between two equal readings.
    private static func threadClocksAreFine() -> Bool {
      let coarsest = 50 * Nanoseconds.microsecond
      return (0..<3).allSatisfy { _ in
        let before = Platform.threadCPU()
        var after = before
        while after == before { after = Platform.threadCPU() }
        return after - before < coarsest
      }
    }
  }
#endif
