#if os(Linux)
  import Foundation
  import StallwatchCore
  import Synchronization
  import Testing

  @testable import StallwatchProbe

  /// Each of them must find the function that waits, the whole way up to the thread's first function, without a signal.
  @Suite("A look at a blocked thread", .serialized)
  struct SamplingBlockedTests {
    private let sampler: LinuxThreadSampler

    init() throws {
      sampler = try #require(LinuxThreadSampler(SamplerConfiguration(usesSignal: false)))
    }

    /// Looks at a thread that waits in `marker`, perhaps for a thread that is blocked as well.
    private func look(
      at thread: SampledThread, in marker: String, heldBy holder: SampledThread? = nil
    ) throws -> BlockedOn {
      thread.waitUntilBlocked()
      let captured = try thread.whileBlocked([holder].compactMap(\.self)) {
        try #require(sampler.capture(threadID: thread.threadID))
      }
      #expect(captured.activity == .blocked)
      #expect(captured.method == .withoutSignal)
      let names = try functionNames(captured.frames)
      #expect(names.contains { $0.contains(marker) }, "\(names)")
      #expect(captured.isComplete, "\(names)")
      return try #require(captured.blockedOn)
    }

    /// Checks the owner of a lock, who sleeps in `markedHold`.
    private func check(_ owner: LockOwner?, is holder: SampledThread) throws {
      let owner = try #require(owner)
      #expect(owner.threadID == holder.threadID)
      #expect(owner.name == "holder")
      let names = try functionNames(owner.frames)
      #expect(names.contains { $0.contains("markedHold") }, "\(names)")
    }

    @Test("reports that usleep sleeps")
    func sleeping() throws {
      let thread = SampledThread { markedSleep($0) }
      defer { thread.stop() }
      #expect(try look(at: thread, in: "markedSleep") == BlockedOn(systemCall: "clock_nanosleep", target: "sleep"))
    }

    @Test("reports how many descriptors poll waits for, and which if it is one")
    func polling() throws {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let thread = SampledThread { [ends] in markedPoll($0, ends[0], count: 3) }
      #expect(
        try look(at: thread, in: "markedPoll") == BlockedOn(systemCall: "poll", target: "poll of 3 descriptors"))
      thread.stop()
      let single = SampledThread { [ends] in markedPoll($0, ends[0], count: 1) }
      #expect(try look(at: single, in: "markedPoll") == BlockedOn(systemCall: "poll", target: "poll of pipe"))
      single.stop()
      ends.forEach { close($0) }
    }

    @Test("reports who holds a pthread mutex, and where that thread stands")
    func pthreadMutex() throws {
      let mutex = PthreadMutex()
      let holder = SampledThread(name: "holder") { markedHold($0, { mutex.lock() }, { mutex.unlock() }) }
      holder.waitUntilBlocked()
      let waiter = SampledThread { _ in markedLock({ mutex.lock() }, { mutex.unlock() }) }
      let blockedOn = try look(at: waiter, in: "markedLock", heldBy: holder)
      #expect(blockedOn.systemCall == "futex")
      #expect(blockedOn.target == "futex")
      try check(blockedOn.owner, is: holder)
      holder.stop()
      waiter.stop()
    }

    @Test("reports who holds an NSLock, and where that thread stands")
    func foundationLock() throws {
      let lock = NSLock()
      let holder = SampledThread(name: "holder") { markedHold($0, { lock.lock() }, { lock.unlock() }) }
      holder.waitUntilBlocked()
      let waiter = SampledThread { _ in markedLock({ lock.lock() }, { lock.unlock() }) }
      try check(look(at: waiter, in: "markedLock", heldBy: holder).owner, is: holder)
      holder.stop()
      waiter.stop()
    }

    @Test("reports who holds a Synchronization.Mutex, and where that thread stands")
    func synchronizationMutex() throws {
      let mutex = Shared(Mutex(0))
      let holder = SampledThread(name: "holder") { flag in mutex.value.withLock { _ in markedHold(flag, {}, {}) } }
      holder.waitUntilBlocked()
      let waiter = SampledThread { _ in markedLock({ mutex.value.withLock { $0 += 1 } }, {}) }
      try check(look(at: waiter, in: "markedLock", heldBy: holder).owner, is: holder)
      holder.stop()
      waiter.stop()
    }

    @Test(
      "reports no owner of a lock that is held by a thread that computes only where it may not interrupt it, but its number"
    )
    func busyOwner() throws {
      let mutex = PthreadMutex()
      let isHeld = DispatchSemaphore(value: 0)
      let holder = SampledThread { flag in
        markedSpin(
          flag,
          {
            mutex.lock()
            isHeld.signal()
          }, { mutex.unlock() })
      }
      isHeld.wait()
      let waiter = SampledThread { _ in markedLock({ mutex.lock() }, { mutex.unlock() }) }
      let owner = try look(at: waiter, in: "markedLock").owner
      #expect(owner?.threadID == holder.threadID)
      #expect(owner?.frames == [])
      holder.stop()
      waiter.stop()
    }

    @Test("reports no owner of a condition")
    func condition() throws {
      let condition = NSCondition()
      let thread = SampledThread { markedWait($0, condition) }
      #expect(try look(at: thread, in: "markedWait") == BlockedOn(systemCall: "futex", target: "futex"))
      thread.stop {
        condition.lock()
        condition.broadcast()
        condition.unlock()
      }
    }

    @Test("reports no owner of a semaphore")
    func semaphore() throws {
      let semaphore = DispatchSemaphore(value: 0)
      let thread = SampledThread { _ in markedWait(semaphore) }
      #expect(try look(at: thread, in: "markedWait") == BlockedOn(systemCall: "futex", target: "futex"))
      thread.stop { semaphore.signal() }
    }

    @Test("keeps the leaf's 128 frames of a deep recursion and counts the others")
    func recursion() throws {
      let thread = SampledThread { _ = markedRecursion(1_000, $0) }
      thread.waitUntilBlocked()
      let captured = try thread.whileBlocked { try #require(sampler.capture(threadID: thread.threadID)) }
      thread.stop()
      #expect(captured.frames.count == 128)
      #expect(captured.framesCut >= 870)
      #expect(captured.markedFrames == captured.frames + [StackSample.cutMark], "a sample says that its stack was cut")
      #expect(captured.isComplete)
      let names = try functionNames(captured.frames)
      #expect(names.count { $0.contains("markedRecursion") } >= 120, "\(names)")
    }

    @Test("knows nothing of a thread that has ended")
    func ended() {
      let thread = SampledThread { _ in }
      thread.stop()
      #expect(eventually { !stallwatchThreadExists(thread.threadID) })
      #expect(sampler.capture(threadID: thread.threadID) == nil)
      #expect(sampler.health.gone == 1)
    }
  }
#endif
