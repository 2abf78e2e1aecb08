#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Synchronization
  import Testing

  @testable import StallwatchProbe

  /// What looking does to the threads that are looked at: nothing.
  @Suite("Looking at a thread does no harm:", .serialized, .takesTurns)
  struct SamplingHarmTests {
    private let sampler: LinuxThreadSampler

    init() throws {
      sampler = try #require(LinuxThreadSampler(SamplerConfiguration()))
    }

    /// Waits that a signal would cut short, each with what it takes for having been cut short.
    enum Wait: String, CaseIterable {
      case usleep, nanosleep, poll, select, semaphore

      /// Waits 3 ms; returns false when it ended early.
      func once() -> Bool {
        switch self {
        case .usleep: return Foundation.usleep(3_000) == 0
        case .nanosleep:
          var time = timespec(tv_sec: 0, tv_nsec: 3_000_000)
          return Foundation.nanosleep(&time, nil) == 0
        case .poll: return Foundation.poll(nil, 0, 3) == 0
        case .select:
          var time = timeval(tv_sec: 0, tv_usec: 3_000)
          return Foundation.select(0, nil, nil, nil, &time) == 0
        case .semaphore:
          var semaphore = sem_t()
          sem_init(&semaphore, 0, 0)
          var time = timespec()
          clock_gettime(CLOCK_REALTIME, &time)
          time.tv_nsec += 3_000_000
          if time.tv_nsec >= 1_000_000_000 {
            (time.tv_sec, time.tv_nsec) = (time.tv_sec + 1, time.tv_nsec - 1_000_000_000)
          }
          return sem_timedwait(&semaphore, &time) == -1 && errno == ETIMEDOUT
        }
      }
    }

    @Test("no wait ends early, although the thread computes in between and is asked then", arguments: Wait.allCases)
    func waits(wait: Wait) {
      let early = Shared(Atomic<Int>(0))
      let thread = SampledThread { flag in
        var number: UInt64 = 1
        while !flag.isSet {
          if !wait.once() { early.value.add(1, ordering: .relaxed) }
          for _ in 0..<20_000 { number = number &* 3 &+ 1 }
        }
      }
      let hasWaited = eventually {
        _ = sampler.capture(threadID: thread.threadID)
        return sampler.health.withoutSignal >= 1_000
      }
      thread.stop()
      sampler.stop()
      #expect(early.value.load(ordering: .relaxed) == 0)
      #expect(hasWaited)
    }

    @Test("a blocked thread does not run for it")
    func switches() throws {
      let semaphore = DispatchSemaphore(value: 0)
      let thread = SampledThread { _ in markedWait(semaphore) }
      thread.waitUntilBlocked()
      let before = try contextSwitches(of: thread.threadID)
      for _ in 0..<10_000 { _ = sampler.capture(threadID: thread.threadID) }
      #expect(try contextSwitches(of: thread.threadID) == before)
      #expect(sampler.health.withoutSignal == 10_000)
      thread.stop { semaphore.signal() }
      sampler.stop()
    }

    @Test("a thread may end in the middle of it, 2,000 times")
    func endingThreads() {
      let current = Shared(Atomic<UInt64>(0))
      let isDone = Shared(Atomic<Bool>(false))
      // The looks may be slow, on a busy machine: then it takes more threads until some were met.
      let isEnough = Shared(Atomic<Bool>(false))
      let starter = SampledThread { _ in
        for number in 0..<100_000 where number < 2_000 || !isEnough.value.load(ordering: .relaxed) {
          let thread = SampledThread { _ in
            current.value.store(stallwatch_thread_id(), ordering: .relaxed)
            var number: UInt64 = 1
            for _ in 0..<2_000 { number = number &* 3 &+ 1 }
            if number % 2 == 1 { usleep(20) }
          }
          thread.stop()
        }
        isDone.value.store(true, ordering: .relaxed)
      }
      var looks = 0
      while !isDone.value.load(ordering: .relaxed) {
        let threadID = current.value.load(ordering: .relaxed)
        if threadID != 0 {
          _ = sampler.capture(threadID: threadID)
          looks += 1
        }
        let health = sampler.health
        if looks > 2_000, health.gone > 0, health.withoutSignal + health.interrupted > 0 {
          isEnough.value.store(true, ordering: .relaxed)
        }
      }
      starter.stop()
      sampler.stop()
      #expect(looks > 2_000)
      #expect(sampler.health.gone > 0)
      #expect(sampler.health.withoutSignal + sampler.health.interrupted > 0)
    }

    private func contextSwitches(of threadID: UInt64) throws -> [Substring] {
      let status = try String(contentsOfFile: "/proc/self/task/\(threadID)/status", encoding: .utf8)
      return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
    }
  }
#endif
