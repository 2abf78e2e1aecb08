import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchFormats

@Suite struct VerdictTests {
  @Test func stallsOfOneLoopAreSummedUpWithTheWorstAndItsPlace() throws {
    let verdict = try HandMadeContents.busy.report().verdict
    #expect(verdict.rank == .stalled)
    #expect(
      verdict.sentences == [
        "The main loop was held 6 times for 3.72 s in all; the worst stall lasted 2.40 s, in mode kCFRunLoopDefaultMode, "
          + "phase service.",
        "By severity: 1 severe, 1 hang, 1 microhang, 3 long.",
        "Congestion, many short spans without a wait, added 140 ms in 1 busy run.",
        "There may be more: 51.0 ms went unobserved and 4 records did not fit.",
      ])
  }

  @Test func aDeathInAStallIsTold() throws {
    let verdict = try HandMadeContents.killed.report().verdict
    #expect(
      verdict.text == "The main loop was held once, for 1.90 s, in mode kCFRunLoopDefaultMode, phase service. "
        + "By severity: 1 hang. The process died in a stall of 1.90 s on the main loop.")
  }

  @Test func stallsOfSeveralLoopsNameTheWorstLoop() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(id: 1, samples: [.span: [.second]])
    contents.addLoop(id: 2, name: "worker", samples: [.span: [.second]])
    contents.addStall(id: 1, loop: 1, duration: 60 * .millisecond)
    contents.addStall(id: 2, loop: 2, mode: "tracking", duration: 90 * .millisecond)
    #expect(
      try contents.report().verdict.sentences.first
        == "2 loops were held 2 times for 150 ms in all; the worst stall lasted 90.0 ms, on loop worker, in mode tracking, "
        + "phase service.")
  }

  @Test func aStallThatGoesOnIsTold() throws {
    var contents = HandMadeContents()
    contents.addSession(ended: .running)
    contents.addLoop(samples: [.span: [.second]])
    contents.addStall(id: 1, duration: .second, state: .began)
    #expect(try contents.report().verdict.text.contains("1 of them had not ended when the store was read."))
  }

  @Test func aHealthyRecordingIsCalledHealthy() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(
      iterations: 1_234, samples: [.span: [4_200 * .microsecond], .service: [.second], .waiting: [9 * .second]])
    let verdict = try contents.report().verdict
    #expect(verdict.rank == .healthy)
    #expect(
      verdict.text
        == "Healthy: no span reached the threshold of 50.0 ms. The main loop ran 1,234 iterations in 10.0 s; its "
        + "longest span took 4.20 ms.")
  }

  @Test func aHealthyRecordingSpeaksOfLoopsAndOfWhatServesItems() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(
      iterations: 7, samples: [.span: [2 * .millisecond], .service: [.second], .waiting: [9 * .second]])
    let waits = [3 * Nanoseconds.millisecond]
    contents.addLoop(id: 2, name: "images", mode: "items", iterations: 20, samples: [.waiting: waits], kind: .queue)
    contents.addLoop(id: 3, name: "App.Cache", mode: "items", iterations: 30, samples: [.span: waits], kind: .actor)
    #expect(
      try contents.report().verdict.sentences == [
        "Healthy: no span reached the threshold of 50.0 ms. The main loop ran 7 iterations in 10.0 s; its longest span took "
          + "2.00 ms.",
        "No item waited so long behind another one. 2 queues, actors and pools served 50 items; the longest wait was 3.00 ms.",
      ])
    contents.addLoop(id: 4, name: "late", mode: "items", iterations: 1, samples: [.waiting: [.second]], kind: .queue)
    #expect(
      try contents.report().verdict.text.hasSuffix("the longest wait was 1.00 s, in which the lane served nothing."))
  }

  @Test func congestionAloneIsNoStall() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(samples: [.span: [.millisecond]])
    contents.addStall(id: 1, duration: 70 * .millisecond, kind: .congestion)
    let verdict = try contents.report().verdict
    #expect(verdict.rank == .congested)
    #expect(verdict.text.hasPrefix("No single span was a stall, but the loops were congested once for 70.0 ms in all"))
  }

  @Test func nothingObservedIsSaidWithItsReason() throws {
    var contents = HandMadeContents()
    #expect(try contents.report().verdict.text == "Nothing was recorded: the store holds no session.")
    contents.addSession()
    #expect(try contents.report().verdict.text.hasPrefix("Nothing was observed: no run loop ran in 10.0 s of watching"))
    contents.addLoop()
    #expect(
      try contents.report().verdict.text == "Nothing was observed: 1 loop was watched, but none ran.")
    #expect(try contents.report().verdict.rank == .nothingObserved)
  }

  @Test func aDeathBeforeTheFirstFiguresIsNoProofThatNothingRan() throws {
    var contents = HandMadeContents()
    contents.addSession(ended: .killed)
    let text = "Nothing was observed: the program was killed before the monitor wrote the first figures of a run loop."
    #expect(try contents.report().verdict.text == text)
    contents.addLoop()
    #expect(try contents.report().verdict.text == text)
  }

  @Test func whyRunningThreadsWereNotLookedAtIsTold() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop()
    contents.storedHealth[1] = StoredHealth(
      observerTotal: 1, monitorCPU: 1, wakeups: 1, watchdogLateness: nil, losses: ["looks": 7], intervals: [],
      signalObstacle: "the program handles SIGPROF")
    let text = HealthSection.cost(try contents.report()).paragraphs.joined(separator: "\n")
    #expect(text.contains("7 looks at held or busy threads yielded no stack"))
    #expect(text.contains("were not interrupted for their stacks, because the program handles SIGPROF (session 1)."))
  }

  @Test func figuresThatWereLostAreNoProofThatNothingRan() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.storedHealth[1] = StoredHealth(
      observerTotal: 0, monitorCPU: 0, wakeups: 0, watchdogLateness: nil, losses: ["records": 7], intervals: [])
    let verdict = try contents.report().verdict
    #expect(verdict.rank == .nothingObserved)
    #expect(
      verdict.sentences.first == "Nothing is known of the run loops: the monitor could not keep what it observed.")
  }
}
