#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Testing

  @testable import StallwatchProbe

  @Suite("The clocks of a thread, read again and again", .serialized)
  struct ThreadClocksTests {
    @Test("show the run delay that the kernel shows, to 0.1 ms, whether the thread runs or not")
    func runDelay() throws {
      let spinning = SampledThread { markedSpin($0, {}, {}) }
      let sleeping = SampledThread { markedSleep($0) }
      defer { for thread in [spinning, sleeping] { thread.stop() } }
      for thread in [spinning, sleeping] {
        var clocks = ThreadClocks(ofThread: thread.threadID)
        for _ in 0..<50 {
          var before: UInt64 = 0
          #expect(stallwatch_thread_run_delay(thread.threadID, &before))
          let read = clocks.read()
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
      let read = clocks.read()
      #expect(read == nil)
    }
  }
#endif
