import Foundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

/// What a probe records of a held loop's thread.
@Suite("The samples of a stall", .serialized, .takesTurns)
struct StallSamplingTests {
  @Test("are taken while it goes on: what the thread did, on what it was blocked, and for how long")
  func sampling() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    @Sendable func sleeping(_ samples: StallSamples?) -> [StackSample] {
      samples?.samples.filter { $0.activity == .blocked && $0.blockedOn?.target == "sleep" } ?? []
    }
    nonisolated(unsafe) var held = TestLoop.Stretch(start: 0, end: 0)
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      TestLoop.turn(for: 0.1)
      held = TestLoop.callout {
        TestLoop.sleep(400_000) {
          let reported = recorder.samples
          return reported.count { $0.stall == reported.last?.stall } > 1 && sleeping(reported.last).count >= 5
        }
      }
      TestLoop.turn(for: 0.1)
    }
    probe.stop()
    let stall = try #require(recorder.stall(in: held))
    let reported = recorder.samples.filter { $0.stall == stall.began.id }
    let last = try #require(reported.last)
    #expect(reported.count > 1, "reported with the flushes while it went on")
    #expect(sleeping(last).count >= 5)
    #expect(sleeping(last).allSatisfy { $0.frames.count > 4 })
    #expect(last.samples.allSatisfy { $0.atNs >= stall.began.startedNs })
    let cause = try #require(last.cause)
    #expect(cause.blocked > 0)
    #expect(last.samples.reduce(0) { $0 + $1.weight } <= stall.ended.duration)
    let images = recorder.images
    for frame in sleeping(last).flatMap(\.frames) {
      #expect(images.contains { $0.start <= frame && frame < $0.end }, "every frame lies in an image that was reported")
    }
  }

  @Test("come with the stall's begin, before the next flush, even where no look is due at the threshold")
  func firstSamples() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.sampleInterval = 1 * .second
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      TestLoop.turn(for: 0.1)
      // A thread that did not sleep yet when it was looked at answers later.
      for _ in 0..<50 where firstBlocked(of: recorder) == nil {
        let known = recorder.samples.count
        _ = TestLoop.callout { TestLoop.sleep(400_000) { recorder.samples.count > known } }
      }
    }
    probe.stop()
    let first = try #require(firstBlocked(of: recorder), "no stall whose thread slept at the first look")
    let records = recorder.records
    let began = try #require(
      records.firstIndex { if case .stallBegan(let began) = $0 { began.id == first.stall } else { false } })
    let samples = try #require(
      records.firstIndex { if case .samples(let samples) = $0 { samples.stall == first.stall } else { false } })
    let flushed = records[began..<samples].contains {
      if case .health(let health) = $0 { health.atNs > first.sample.atNs } else { false }
    }
    #expect(!flushed, "they were known at the flush before them")
  }

  /// The first stall whose first sample is of a blocked thread, and that sample.
  private func firstBlocked(of recorder: MemoryRecorder) -> (stall: StallID, sample: StackSample)? {
    for samples in recorder.samples {
      if let sample = samples.samples.first, sample.activity == .blocked { return (samples.stall, sample) }
    }
    return nil
  }

  @Test("are of every thread of a pool that answered, also where their items ended during the looks")
  func answersOfEndedItems() throws {
    let sampling = try #require(StallSampling(ProbeConfiguration(), sampler: AnsweringSampler()))
    let (loop, start) = (LoopID(rawValue: 1), Platform.now())
    let began = StallBegan(
      id: StallID(rawValue: 1), loop: loop, mode: 0, phase: .waiting, depth: 1, kind: .stall, startedNs: start,
      detectedNs: start)
    var records: [Record] = []
    for thread in 1...3 as ClosedRange<UInt64> {
      var looks = 0
      let held = HeldThread(loop: loop, threadID: thread, threadPointer: 0, startedNs: start, stall: began) {
        looks += 1
        return looks == 1
      }
      #expect(sampling.look(at: held) { records.append($0) })
    }
    let ended = StallEnded(
      id: began.id, state: .ended, duration: 60 * .second, phase: .waiting, reason: nil)
    sampling.end(of: loop, ended) { records.append($0) }
    let samples = records.compactMap { if case .samples(let reported) = $0 { reported.samples } else { nil } }.joined()
    #expect(Set(samples.map { $0.frames.first }) == [1, 2, 3])
  }

  @Test("begin when a watchdog that fell asleep just before would look, and sooner where it is awake anyway")
  func firstLook() throws {
    let configuration = ProbeConfiguration()
    let sampling = try #require(StallSampling(configuration))
    defer { sampling.stop() }
    let began = 1 * Nanoseconds.second
    // A loop whose span has just begun at each look wakes the watchdog no more often than one that turns.
    let look = try #require(sampling.nextLook(at: LoopID(rawValue: 1), heldFrom: began))
    #expect(look.lowerBound == began + configuration.longestSleep)
    #expect(sampling.soonestLook(at: LoopID(rawValue: 1), heldFrom: began) == began + configuration.firstLook)
    let answer = look.upperBound + 4 * .millisecond
    #expect(answer < began + configuration.threshold, "a running thread answers up to a kernel tick late")
  }

  @Test("may wait for the next flush, which the watchdog wakes for in any case")
  func waitForFlush() throws {
    let configuration = ProbeConfiguration()
    var series = SampleSeries(every: try #require(configuration.sampleInterval), from: 0)
    series.skip(at: 0)
    #expect((series.nextNs...series.latestNs).contains(configuration.flushInterval))
  }
}

/// Every thread has answered to it with a stack of its own number.
private final class AnsweringSampler: ThreadSampler {
  var health = SamplerHealth()
  func capture(threadID: UInt64) -> CapturedStack? { nil }
  func follow(threadID: UInt64) -> FollowingLook? {
    FollowingLook(
      answered: CapturedStack(
        threadID: threadID, atNs: Platform.now(), activity: .running, frames: [threadID], isComplete: true,
        method: .interrupted))
  }
  func withdraw(threadID: UInt64) {}
  func image(at address: UInt64) -> ImageRecord? { nil }
  func stop() {}
}
