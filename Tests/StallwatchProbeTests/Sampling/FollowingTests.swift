#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Testing

  @testable import StallwatchProbe

  /// Looks at one thread again and again, as its stall goes on.
  @Suite("Following a thread", .serialized, .takesTurns)
  final class FollowingTests {
    private let sampler: LinuxThreadSampler

    init() throws { sampler = try #require(LinuxThreadSampler(SamplerConfiguration())) }

    deinit { sampler.stop() }

    @Test("finds a thread that has not moved where it was, without reading it again")
    func unmoved() throws {
      let thread = SampledThread { markedSleep($0) }
      defer { thread.stop() }
      thread.waitUntilBlocked()
      let looks = try thread.whileBlocked { (0..<2).map { _ in sampler.follow(threadID: thread.threadID) } }
      let first = try #require(looks[0]?.last)
      let second = try #require(looks[1]?.last)
      #expect(second.frames == first.frames)
      #expect(second.blockedOn == first.blockedOn)
      #expect(second.systemCall == first.systemCall)
      #expect(second.atNs > first.atNs)
      #expect(second.activity == .blocked)
      #expect(sampler.followed[thread.threadID]?.last != nil)
      sampler.withdraw(threadID: thread.threadID)
      #expect(sampler.followed[thread.threadID] == nil)
    }

    @Test("knows a thread again that has run and come back to where it was, until it goes elsewhere")
    func cameBack() throws {
      let (isSleepOver, end) = (SampledThread.StopFlag(), DispatchSemaphore(value: 0))
      let thread = SampledThread { _ in
        markedSleep(isSleepOver)
        markedWait(end)
      }
      defer {
        thread.stop {
          isSleepOver.set()
          end.signal()
        }
      }
      var seen: (atNs: UInt64, cpu: UInt64)?
      /// Looks once more; whether the thread has run since the last look and was known again.
      func hasComeBack() -> Bool {
        if let before = seen, let reading = sampler.stays(threadID: thread.threadID, since: before.atNs) {
          seen = (reading.atNs, reading.cpu)
          return reading.cpu > before.cpu
        }
        let look = sampler.follow(threadID: thread.threadID)
        seen = look?.standing.map { ($0.atNs, look?.reading?.cpu ?? 0) }
        return false
      }
      for _ in 0..<3 {
        // It sleeps for 50 ms at a time.
        let isKnown = eventually {
          usleep(60_000)
          return hasComeBack()
        }
        #expect(isKnown)
      }
      isSleepOver.set()
      let isElsewhere = eventually {
        guard let found = sampler.follow(threadID: thread.threadID)?.standing else { return false }
        return (try? functionNames(found.frames).contains { $0.contains("markedWait") }) == true
      }
      #expect(isElsewhere)
    }

    @Test("reads a thread that has run meanwhile again")
    func moved() throws {
      let (one, two) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let thread = SampledThread { flag in
        markedWait(one)
        markedSleep(flag)
      }
      defer {
        thread.stop {
          one.signal()
          two.signal()
        }
      }
      thread.waitUntilBlocked()
      let first = try thread.whileBlocked { try #require(sampler.follow(threadID: thread.threadID)?.last) }
      #expect(try functionNames(first.frames).contains { $0.contains("markedWait") })
      one.signal()
      var names: [String] = []
      let hasMoved = eventually {
        guard let frames = sampler.follow(threadID: thread.threadID)?.last?.frames,
          let found = try? functionNames(frames)
        else { return false }
        names = found
        return found.contains { $0.contains("markedSleep") }
      }
      #expect(hasMoved, "\(names)")
    }

    @Test("reports who holds a lock now, though the thread that waits for it has not moved")
    func otherOwner() throws {
      let mutex = PthreadMutex()
      let holder = SampledThread(name: "holder") { markedHold($0, { mutex.lock() }, { mutex.unlock() }) }
      holder.waitUntilBlocked()
      let waiter = SampledThread { _ in markedLock({ mutex.lock() }, { mutex.unlock() }) }
      waiter.waitUntilBlocked()
      for _ in 0..<2 {
        let found = try waiter.whileBlocked([holder]) {
          try #require(sampler.follow(threadID: waiter.threadID)?.last)
        }
        #expect(found.blockedOn?.owner?.threadID == holder.threadID)
        #expect(try functionNames(found.blockedOn?.owner?.frames ?? []).contains { $0.contains("markedHold") })
      }
      holder.stop()
      waiter.stop()
    }

    @Test("asks a running thread without waiting, and returns its answer later", .enabled(if: ThreadSanitizer.isOff))
    func running() throws {
      let thread = SampledThread { markedSpin($0, {}, {}) }
      defer { thread.stop() }
      thread.waitUntilItComputed()
      var answer: CapturedStack?
      let hasAnswered = eventually {
        answer = sampler.follow(threadID: thread.threadID)?.answered ?? answer
        return answer != nil
      }
      #expect(hasAnswered)
      let names = try functionNames(answer?.frames ?? [])
      #expect(names.contains { $0.contains("markedSpin") }, "\(names)")
      // It is asked again at once.
      #expect(eventually { !sampler.requests.isEmpty || sampler.follow(threadID: thread.threadID) == nil })
      _ = sampler.letGo(threadID: thread.threadID)
      #expect(sampler.requests.isEmpty)
    }

    @Test("returns at the end the answer that nobody has taken", .enabled(if: ThreadSanitizer.isOff))
    func lastAnswer() throws {
      let thread = SampledThread { markedSpin($0, {}, {}) }
      defer { thread.stop() }
      thread.waitUntilItComputed()
      var last: CapturedStack?
      let hasAnswered = eventually {
        _ = sampler.follow(threadID: thread.threadID)
        usleep(20_000)
        last = sampler.letGo(threadID: thread.threadID)
        return last?.method == .interrupted
      }
      #expect(hasAnswered)
      #expect(last?.frames.isEmpty == false)
    }

    /// The descriptors of ours that stay open between looks, by number and file.
    private func keptFiles() throws -> [String: String] {
      let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let own = all.filter { (Int($0) ?? 0) >= Int(stallwatch_least_kept_descriptor) }
      let found = own.map { ($0, try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) }
      return Dictionary(
        uniqueKeysWithValues: found.compactMap { number, path in
          path.flatMap { $0.hasPrefix("/proc/") ? (number, $0) : nil }
        })
    }

    @Test("keeps the thread's files open from the second look until it rests, out of the way of the program's own")
    func files() throws {
      let thread = SampledThread { markedSleep($0) }
      defer { thread.stop() }
      thread.waitUntilBlocked()
      _ = sampler.follow(threadID: thread.threadID)
      let atFirst = try keptFiles().filter { $0.value.contains("/task/\(thread.threadID)/") }
      #expect(atFirst == [:])
      _ = sampler.follow(threadID: thread.threadID)
      let kept = try keptFiles().filter { $0.value.contains("/task/\(thread.threadID)/") }
      try #require(kept.values.contains { $0.hasSuffix("/syscall") }, "\(kept)")
      #expect(kept.keys.allSatisfy { (Int($0) ?? 0) < Int(stallwatch_kept_descriptor_limit) })
      sampler.withdraw(threadID: thread.threadID)
      sampler.rest(heldBefore: .max)
      #expect(try keptFiles().filter { $0.value.contains("/task/\(thread.threadID)/") } == [:])
    }

    @Test("looks at a thread that is held again by the files of its last hold, and finds where it stands now")
    func heldAgain() throws {
      let one = DispatchSemaphore(value: 0)
      let thread = SampledThread { flag in
        markedWait(one)
        markedSleep(flag)
      }
      defer { thread.stop { one.signal() } }
      func files() throws -> [String: String] {
        try keptFiles().filter { $0.value.contains("/task/\(thread.threadID)/") }
      }
      thread.waitUntilBlocked()
      for _ in 0..<2 { _ = sampler.follow(threadID: thread.threadID) }
      let kept = try files()
      try #require(!kept.isEmpty)
      _ = sampler.letGo(threadID: thread.threadID)
      #expect(try files() == kept)
      one.signal()
      let isFoundElsewhere = eventually {
        let frames = sampler.follow(threadID: thread.threadID)?.last?.frames ?? []
        _ = sampler.letGo(threadID: thread.threadID)
        return (try? functionNames(frames).contains { $0.contains("markedSleep") }) == true
      }
      #expect(isFoundElsewhere)
      sampler.rest(heldBefore: try #require(sampler.resting.first).restsSinceNs)
      #expect(try files() == kept, "not held before that moment")
      sampler.rest(heldBefore: .max)
      #expect(try files() == [:])
    }

    @Test("keeps no more files open than for seven threads, whatever was held before")
    func mostFiles() throws {
      let threads = (0..<9).map { _ in SampledThread { markedSleep($0) } }
      defer { for thread in threads { thread.stop() } }
      for thread in threads {
        thread.waitUntilBlocked()
        for _ in 0..<2 { _ = sampler.follow(threadID: thread.threadID) }
        _ = sampler.letGo(threadID: thread.threadID)
        #expect(sampler.resting.count <= 7)
      }
      #expect(sampler.resting.map(\.threadID) == threads.suffix(7).map(\.threadID))
    }

    @Test("does without a file that the program has closed, and leaves the program's own file in its place alone")
    func closedByProgram() throws {
      let thread = SampledThread { markedSleep($0) }
      defer { thread.stop() }
      thread.waitUntilBlocked()
      for _ in 0..<2 { _ = sampler.follow(threadID: thread.threadID) }
      let kept = try keptFiles().filter { $0.value.contains("/task/\(thread.threadID)/") || $0.value.hasSuffix("/mem") }
      try #require(!kept.isEmpty)
      let own = open("/dev/null", O_RDONLY)
      defer { close(own) }
      for number in kept.keys.compactMap({ Int32($0) }) { dup2(own, number) }
      let found = try thread.whileBlocked { try #require(sampler.follow(threadID: thread.threadID)?.last) }
      #expect(try functionNames(found.frames).contains { $0.contains("markedSleep") })
      sampler.withdraw(threadID: thread.threadID)
      for number in kept.keys.compactMap({ Int32($0) }) {
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)") == "/dev/null")
        close(number)
      }
    }

    @Test("takes no other thread's file for a thread's own, though it came in the place of that")
    func otherKeptFile() throws {
      let end = DispatchSemaphore(value: 0)
      let (one, other) = (SampledThread { markedSleep($0) }, SampledThread { _ in markedWait(end) })
      defer {
        one.stop()
        other.stop { end.signal() }
      }
      one.waitUntilBlocked()
      other.waitUntilBlocked()
      func systemCallFile(of thread: SampledThread) throws -> Int32? {
        try keptFiles().first { $0.value.hasSuffix("/task/\(thread.threadID)/syscall") }.flatMap { Int32($0.key) }
      }
      for _ in 0..<2 { _ = sampler.follow(threadID: one.threadID) }
      let number = try #require(try systemCallFile(of: one))
      close(number)
      for _ in 0..<2 { _ = sampler.follow(threadID: other.threadID) }
      try #require(try systemCallFile(of: other) == number)
      let found = try one.whileBlocked { try #require(sampler.follow(threadID: one.threadID)?.last) }
      #expect(try functionNames(found.frames).contains { $0.contains("markedSleep") })
      sampler.withdraw(threadID: one.threadID)
      sampler.rest(heldBefore: .max)
      #expect(try systemCallFile(of: other) == number)
      sampler.withdraw(threadID: other.threadID)
      sampler.rest(heldBefore: .max)
      #expect(try systemCallFile(of: other) == nil)
    }

    @Test("knows nothing of a thread that has ended")
    func ended() {
      let thread = SampledThread { _ in }
      thread.stop()
      #expect(eventually { !stallwatchThreadExists(thread.threadID) })
      #expect(sampler.follow(threadID: thread.threadID) == nil)
    }
  }
#endif
