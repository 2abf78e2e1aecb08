#if os(Linux)
  import Foundation
  import StallwatchCore
  import Synchronization
  import Testing

  @testable import StallwatchProbe

  @Suite("A look at a blocked thread", .serialized)
  struct SamplingBlockedTests {
    private let sampler: LinuxThreadSampler

    init() throws {
      sampler = try #require(LinuxThreadSampler(SamplerConfiguration(usesSignal: false)))
    }

    private func names(_ thread: SampledThread) throws -> [String] {
      thread.waitUntilBlocked()
      let captured = try #require(sampler.capture(threadID: thread.threadID))
      #expect(captured.activity == .blocked)
      #expect(captured.method == .withoutSignal)
      #expect(captured.isComplete)
      print(try functionNames(captured.frames), captured.systemCall as Any)
      return try functionNames(captured.frames)
    }

    @Test("finds the function that sleeps")
    func sleeping() throws {
      let thread = SampledThread { markedSleep($0) }
      defer { thread.stop() }
      #expect(try names(thread).contains { $0.contains("markedSleep") })
    }

    @Test("finds the function that polls")
    func polling() throws {
      let thread = SampledThread { markedPoll($0) }
      defer { thread.stop() }
      #expect(try names(thread).contains { $0.contains("markedPoll") })
    }
  }

  @inline(never)
  private func markedSleep(_ flag: SampledThread.StopFlag) {
    while !flag.isSet { usleep(50_000) }
  }

  @inline(never)
  private func markedPoll(_ flag: SampledThread.StopFlag) {
    while !flag.isSet { _ = poll(nil, 0, 50) }
  }
#endif
