#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Synchronization
  import Testing

  @testable import StallwatchProbe

  /// Patience is far above what a thread waits for a processor, so that a busy machine does not matter.
  @Suite("A look at a running thread", .serialized, .takesTurns)
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
      for stack in stacks.shuffled().prefix(20) {
        let names = try functionNames(stack)
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

    @Test("gives no frames of a thread that blocks SIGPROF, and leaves it alone")
    func blockedSignal() throws {
      let isBlocked = DispatchSemaphore(value: 0)
      let thread = SampledThread { flag in
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGPROF)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        isBlocked.signal()
        markedSpin(flag)
      }
      isBlocked.wait()
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
      #expect(second.atNs > before && second.atNs < asked, "it tells when it was")
    }

    @Test("gives SIGPROF back when it stops")
    func givingBack() throws {
      #expect(handlerAddress() == 0)
      let thread = SampledThread { markedSpin($0) }
      _ = sampler.capture(threadID: thread.threadID)
      #expect(handlerAddress() != 0)
      thread.stop()
      sampler.stop()
      #expect(handlerAddress() == 0)
    }

    @Test("takes SIGPROF for one sampler of a process only")
    func oneOwner() throws {
      let other = try #require(LinuxThreadSampler(SamplerConfiguration()))
      let thread = SampledThread { markedSpin($0) }
      #expect(sampler.capture(threadID: thread.threadID)?.method == .interrupted)
      #expect(other.capture(threadID: thread.threadID)?.method == .notAtAll)
      #expect(other.health.signalObstacle == .otherMonitor)
      thread.stop()
      sampler.stop()
      other.stop()
    }

    /// The disposition of SIGPROF as a number; 0 is the default.
    private func handlerAddress() -> UInt {
      var action = sigaction()
      sigaction(SIGPROF, nil, &action)
      return withUnsafeBytes(of: &action) { $0.load(as: UInt.self) }
    }
  }
#endif
