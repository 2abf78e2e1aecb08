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
