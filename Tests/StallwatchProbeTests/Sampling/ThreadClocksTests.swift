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
