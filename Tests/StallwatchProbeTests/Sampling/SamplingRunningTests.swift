#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Synchronization
  import Testing

  @testable import StallwatchProbe

  /// Patience is far above what a thread waits for a processor, so that a busy machine does not matter.
  @Suite(
    "A look at a running thread", .serialized, .takesTurns, .enabled(if: ThreadSanitizer.isOff, ThreadSanitizer.reason))
  struct SamplingRunningTests {
    private let sampler: LinuxThreadSampler

    init() throws {
      sampler = try #require(LinuxThreadSampler(SamplerConfiguration(patience: 60 * .second)))
    }

    @Test(
      "finds the function that computes or allocates, in every one of 100 looks at it",
      arguments: ["markedSpin", "markedAllocation"])
    func running(marker: String) throws {
      let thread = SampledThread { marker == "markedSpin" ? markedSpin($0) : markedAllocation($0) }
      var stacks: [[UInt64]] = []
      var incomplete = 0
      for _ in 0..<10_000 where stacks.count < 100 {
        let captured = try #require(sampler.capture(threadID: thread.threadID))
        // An allocating thread may be found waiting for a page.
        guard captured.method == .interrupted else { continue }
        #expect(captured.activity == .running)
        #expect(captured.blockedOn == nil)
        stacks.append(captured.frames)
        if !captured.isComplete { incomplete += 1 }
      }
      thread.stop()
      sampler.stop()
      #expect(stacks.count == 100)
      #expect(incomplete == 0)
      for names in try functionNames(of: Array(stacks.shuffled().prefix(20))) {
        #expect(names.contains { $0.contains(marker) }, "\(names)")
      }
    }

    @Test("finds the way through asynchronous functions to the thread's first")
    func asynchronous() throws {
      let flag = SampledThread.StopFlag()
      let number = Shared(Atomic<UInt64>(0))
      let task = OwnThreadTask { await markedAsynchronous(flag, number) }
      defer { sampler.stop() }
      try #require(eventually { number.value.load(ordering: .acquiring) != 0 })
      let captured = try #require(sampler.capture(threadID: number.value.load(ordering: .acquiring)))
      flag.set()
      task.wait()
      #expect(captured.method == .interrupted)
      let names = try functionNames(captured.frames)
      #expect(names.contains { $0.contains("markedSpin") }, "\(names)")
      #expect(names.contains { $0.contains("markedAsynchronous") }, "\(names)")
      #expect(captured.isComplete, "\(names)")
    }

    @Test("finds it also where a thread blocks what the workers of Dispatch block")
    func blockedUrgent() throws {
      let thread = SampledThread(blocking: [SIGURG]) { markedSpin($0) }
      for _ in 0..<10 {
        let captured = try #require(sampler.capture(threadID: thread.threadID))
        #expect(captured.method == .interrupted)
        #expect(captured.isComplete)
      }
      thread.stop()
      sampler.stop()
    }

    @Test("gives no frames of a thread that blocks all signals, and leaves it alone")
    func blockedSignals() throws {
      let thread = SampledThread(blocking: [SIGURG, SIGPROF]) { markedSpin($0) }
      let sampler = try #require(LinuxThreadSampler(SamplerConfiguration(patience: 50 * .millisecond)))
      let captured = try #require(sampler.capture(threadID: thread.threadID))
      #expect(captured.method == .notAtAll)
      #expect(captured.activity == .running)
      #expect(captured.frames == [])
      #expect(sampler.health.refused == 1)
      thread.stop()
      sampler.stop()
    }

    @Test("takes the answer of a thread that answered late with the next look")
    func lateAnswer() throws {
      let hasty = try #require(LinuxThreadSampler(SamplerConfiguration(patience: 0)))
      let thread = SampledThread { markedSpin($0) }
      var before = Platform.now()
      // One that answers before it is looked for, as on a busy machine, is asked again.
      let isLate = try eventually {
        before = Platform.now()
        return try #require(hasty.capture(threadID: thread.threadID)).method == .notAtAll
      }
      #expect(isLate)
      thread.waitUntilItComputed()
      let asked = Platform.now()
      let second = try #require(hasty.capture(threadID: thread.threadID))
      thread.stop()
      hasty.stop()
      #expect(second.method == .interrupted)
      #expect(second.atNs > before && second.atNs < asked, "it says when it was")
    }

    @Test("waits for no thread when its pass has no time left, and takes the answer with a later look")
    func pass() throws {
      var configuration = SamplerConfiguration(patience: 1_000 * .second, passPatience: 0)
      configuration.lookAgain = .millisecond
      let sampler = try #require(LinuxThreadSampler(configuration))
      let threads = (0..<4).map { _ in SampledThread { markedSpin($0) } }
      var answered: Set<UInt64> = []
      var isAsked = false
      #expect(
        try eventually {
          // Each waits for 1,000 s otherwise, as long as there are more threads than processors.
          sampler.beginPass()
          for thread in threads {
            let captured = try #require(sampler.capture(threadID: thread.threadID))
            if captured.method == .later { isAsked = true }
            if captured.method == .interrupted { answered.insert(thread.threadID) }
          }
          return isAsked && answered.count == threads.count
        })
      #expect(sampler.health.unanswered == 0)
      for thread in threads { thread.stop() }
      sampler.stop()
    }

    @Test("takes no more of SIGPROF than its patience: what is not answered by then is taken back")
    func takenBack() throws {
      let hasty = try #require(LinuxThreadSampler(SamplerConfiguration(patience: 0)))
      let thread = SampledThread(blocking: [SIGURG]) { markedSpin($0) }
      for _ in 0..<100 {
        _ = hasty.capture(threadID: thread.threadID)
        #expect(hasty.requests.isEmpty)
      }
      thread.stop()
      hasty.stop()
    }

    @Test("gives a signal back when it stops", arguments: [SIGURG, SIGPROF])
    func givingBack(signal: Int32) throws {
      #expect(handlerAddress(signal) == 0)
      let thread = SampledThread(blocking: [SIGURG, SIGPROF].filter { $0 != signal }) { markedSpin($0) }
      _ = sampler.capture(threadID: thread.threadID)
      #expect(handlerAddress(signal) != 0)
      thread.stop()
      sampler.stop()
      #expect(handlerAddress(signal) == 0)
    }

    @Test("is taken by two samplers of a process, and the end of one leaves the other right")
    func twoSamplers() throws {
      let other = try #require(LinuxThreadSampler(SamplerConfiguration(patience: 2 * .second)))
      let threads = (0..<2).map { _ in SampledThread { markedSpin($0) } }
      for _ in 0..<10 {
        for thread in threads {
          #expect(sampler.capture(threadID: thread.threadID)?.method == .interrupted)
          #expect(other.capture(threadID: thread.threadID)?.method == .interrupted)
        }
      }
      sampler.stop()
      for thread in threads { #expect(other.capture(threadID: thread.threadID)?.method == .interrupted) }
      for thread in threads { thread.stop() }
      other.stop()
      #expect(handlerAddress(SIGURG) == 0)
    }

    @Test("reports where a lock's owner stands now, not where it stood when an earlier look asked")
    func presentOwner() throws {
      let hasty = try #require(LinuxThreadSampler(SamplerConfiguration(patience: 0)))
      let mutex = PthreadMutex()
      let isHeld = Shared(Atomic<Bool>(false))
      let goesOn = SampledThread.StopFlag()
      let owner = SampledThread { flag in
        mutex.lock()
        isHeld.value.store(true, ordering: .releasing)
        markedSpin(goesOn)
        markedAllocation(flag)
        mutex.unlock()
      }
      while !isHeld.value.load(ordering: .acquiring) { usleep(1_000) }
      let waiter = SampledThread { _ in markedLock({ mutex.lock() }, { mutex.unlock() }) }
      waiter.waitUntilBlocked()
      let first = try #require(hasty.capture(threadID: waiter.threadID)?.blockedOn?.owner)
      #expect(first.threadID == owner.threadID)
      // Answered meanwhile, of a function that it has left since.
      while hasty.requests[owner.threadID].map({ stallwatch_find_request_state($0.number) })
        == stallwatch_request_open
      {
        usleep(1_000)
      }
      goesOn.set()
      usleep(50_000)
      let second = hasty.capture(threadID: waiter.threadID)?.blockedOn?.owner
      let names = try functionNames(second?.frames ?? [])
      #expect(!names.contains { $0.contains("markedSpin") }, "\(names)")
      owner.stop()
      waiter.stop()
      hasty.stop()
    }

    /// The disposition of a signal as a number; 0 is the default.
    private func handlerAddress(_ signal: Int32) -> UInt {
      var action = sigaction()
      sigaction(signal, nil, &action)
      return withUnsafeBytes(of: &action) { $0.load(as: UInt.self) }
    }
  }
#endif
