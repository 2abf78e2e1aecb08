#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Testing

  @testable import StallwatchProbe

  @Suite("The clocks of a thread, read again and again", .serialized)
  struct ThreadClocksTests {
    private static func runDelay(of thread: SampledThread) -> UInt64? {
      var runDelay: UInt64 = 0
      return stallwatch_thread_run_delay(thread.threadID, &runDelay) ? runDelay : nil
    }

    @Test("show the run delay that the kernel shows, to 0.1 ms, whether the thread runs or not")
    func runDelay() throws {
      let spinning = SampledThread { markedSpin($0, {}, {}) }
      let sleeping = SampledThread { markedSleep($0) }
      defer { for thread in [spinning, sleeping] { thread.stop() } }
      for thread in [spinning, sleeping] {
        var clocks = ThreadClocks(ofThread: thread.threadID)
        for _ in 0..<50 {
          let before = try #require(Self.runDelay(of: thread))
          let read = clocks.read { Self.runDelay(of: thread) }
          let times = try #require(read)
          #expect(times.runDelay + 100 * .microsecond >= before)
          usleep(1_000)
        }
      }
    }

    @Test("miss no wait for a processor because the reader waited for one itself, between two clocks")
    func interruptedReader() throws {
      let ms = Nanoseconds.millisecond
      var (clocks, kernel) = (ThreadClocks(ofThread: 1), 0 as Nanoseconds)
      let first = clocks.read(ThreadReading(sinceNs: 100 * ms, atNs: 103 * ms, cpu: ms, .running)) { kernel }
      #expect(first?.runDelay == 0)
      // It has waited for 3 of the 10 ms that have passed since its first clock was read.
      kernel = 3 * ms
      let second = clocks.read(ThreadReading(sinceNs: 110 * ms, atNs: 110 * ms, cpu: 8 * ms, .running)) { kernel }
      #expect(second?.runDelay == 3 * ms)
    }

    /// Reads the clocks of a thread that was blocked every 80 ms and has run for 1 ms in between, and says how often the
    /// kernel was asked for the run delay, which grows by 2 ms from one reading to the next.
    private static func readBlocked(
      _ clocks: inout ThreadClocks, mayWait: Bool, times count: UInt64
    ) throws -> (asked: Int, last: ThreadTimes) {
      var (asked, last) = (0, nil as ThreadTimes?)
      for look in 1...count {
        let reading = ThreadReading(atNs: 80 * look * .millisecond, cpu: look * .millisecond, .blocked)
        last = clocks.read(reading, mayWait: mayWait) {
          asked += 1
          return 2 * look * .millisecond
        }
      }
      return (asked, try #require(last))
    }

    @Test("of a thread that runs briefly between waits say its run delay at every fourth reading, and in full then")
    func without() throws {
      var clocks = ThreadClocks(ofThread: 1)
      let (asked, last) = try Self.readBlocked(&clocks, mayWait: true, times: 9)
      #expect(asked == 3, "at the first, the fifth and the ninth")
      #expect(last.runDelay == 18 * .millisecond)
      let settled = clocks.settledRunDelay { 20 * .millisecond }
      #expect(settled == nil, "nothing was left out")
    }

    @Test("of a thread that hardly does anything but run say its run delay at every fourth reading, and in full then")
    func withoutWhileRunning() throws {
      var (clocks, asked, last) = (ThreadClocks(ofThread: 1), 0, nil as ThreadTimes?)
      for look in 1...5 as ClosedRange<UInt64> {
        let reading = ThreadReading(atNs: 80 * look * .millisecond, cpu: 75 * look * .millisecond, .running)
        last = clocks.read(reading, mayWait: true) {
          asked += 1
          return 5 * look * .millisecond
        }
      }
      #expect(asked == 2)
      #expect(last?.runDelay == 25 * .millisecond)
    }

    @Test("say at every reading what may not wait")
    func mayNotWait() throws {
      var clocks = ThreadClocks(ofThread: 1)
      let (asked, last) = try Self.readBlocked(&clocks, mayWait: false, times: 7)
      #expect(asked == 7)
      #expect(last.runDelay == 14 * .millisecond)
    }

    @Test("make up at the end for the run delay that the last readings left out")
    func settling() throws {
      var clocks = ThreadClocks(ofThread: 1)
      let last = try Self.readBlocked(&clocks, mayWait: true, times: 7).last
      #expect(last.runDelay == 10 * .millisecond, "as at the fifth")
      let settled = clocks.settledRunDelay { 15 * .millisecond }
      #expect(settled == 15 * .millisecond)
    }

    @Test("make up for no more than the time off a processor up to the last reading")
    func settlingLate() throws {
      var clocks = ThreadClocks(ofThread: 1)
      _ = try Self.readBlocked(&clocks, mayWait: true, times: 6)
      // Of the 80 ms from the fifth reading to the sixth it ran for one; it has waited for a second since.
      let settled = clocks.settledRunDelay { 1_010 * .millisecond }
      #expect(settled == 89 * .millisecond)
    }

    @Test("ask for the run delay of a thread that has run for long between two waits, or is met running")
    func otherwise() throws {
      var clocks = ThreadClocks(ofThread: 1)
      _ = try Self.readBlocked(&clocks, mayWait: true, times: 1)
      let long = clocks.read(
        ThreadReading(atNs: 160 * .millisecond, cpu: 41 * .millisecond, .blocked), mayWait: true
      ) { 30 * .millisecond }
      #expect(long?.runDelay == 30 * .millisecond)
      let running = clocks.read(
        ThreadReading(atNs: 240 * .millisecond, cpu: 42 * .millisecond, .running), mayWait: true
      ) { 40 * .millisecond }
      #expect(running?.runDelay == 40 * .millisecond)
      let after = clocks.read(
        ThreadReading(atNs: 320 * .millisecond, cpu: 43 * .millisecond, .blocked), mayWait: true
      ) { 50 * .millisecond }
      #expect(after?.runDelay == 50 * .millisecond)
    }

    @Test("show that a thread still runs by its having run since the last reading, but for a moment at most")
    func hasRunOn() {
      let (ms, us) = (Nanoseconds.millisecond, Nanoseconds.microsecond)
      let first = ThreadReading(sinceNs: 10 * ms, atNs: 11 * ms, cpu: 5 * ms, .running)
      #expect(ThreadReading(atNs: 90 * ms, cpu: 85 * ms - 100 * us, nil).hasRunOn(since: first))
      #expect(!ThreadReading(atNs: 90 * ms, cpu: 85 * ms - 101 * us, nil).hasRunOn(since: first))
      #expect(!ThreadReading(atNs: 10 * ms + 50 * us, cpu: 5 * ms, nil).hasRunOn(since: first), "not at all")
    }

    @Test("give nothing for a thread that has ended")
    func ended() {
      let thread = SampledThread { _ in }
      thread.stop()
      #expect(eventually { !stallwatchThreadExists(thread.threadID) })
      var clocks = ThreadClocks(ofThread: thread.threadID)
      let read = clocks.read { Self.runDelay(of: thread) }
      #expect(read == nil)
    }
  }
#endif
