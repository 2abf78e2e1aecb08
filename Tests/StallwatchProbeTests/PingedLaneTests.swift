import StallwatchCore
import StallwatchLibc
import Testing

@testable import StallwatchProbe

@Suite("A lane that is pinged", .serialized, .timeLimit(.minutes(5)))
struct PingedLaneTests {
  private let recorder = MemoryRecorder()

  private func probe() throws -> Probe {
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    return probe
  }

  @Test("has a stall while a ping waits for the threshold or longer, which ends with the answer")
  func stall() throws {
    let probe = try probe()
    defer { probe.stop() }
    let lane = try #require(probe.pingedLane(name: "ledger"))
    // Watching begins with the first ping that the watchdog sees.
    lane.wait(from: Probe.now())
    wait { recorder.loops.count == 1 }
    #expect(lane.answer(threadIsItsOwn: false) != nil)
    let due = Probe.now()
    lane.wait(from: due)
    wait { recorder.began.contains { $0.startedNs == due } }
    let began = try #require(recorder.began.last)
    #expect(began.startedNs == due && began.phase == .waiting)
    #expect(recorder.loops.first { $0.id == began.loop }.map { $0.name == "ledger" && $0.kind == .pinged } == true)
    #expect(!recorder.ended.contains { $0.id == began.id })
    let before = Probe.now()
    _ = lane.answer(threadIsItsOwn: false)
    wait { recorder.ended.contains { $0.id == began.id } }
    let ended = try #require(recorder.ended.last)
    #expect(ended.state == .ended && ended.duration >= before - due && ended.duration <= Probe.now() - due)
  }

  @Test("has none for a ping that is due later, nor for one whose lane has ended")
  func none() throws {
    let probe = try probe()
    let (later, over) = (
      try #require(probe.pingedLane(name: "later")), try #require(probe.pingedLane(name: "over"))
    )
    later.wait(from: Probe.now() + 3_600 * .second)
    over.wait(from: Probe.now())
    over.end()
    // What the watchdog has told of a third lane shows that it has looked at these.
    let answered = try #require(probe.pingedLane(name: "answered"))
    for _ in 0..<20 {
      answered.wait(from: Probe.now())
      _ = answered.answer(threadIsItsOwn: false)
      usleep(5_000)
    }
    wait { recorder.deltas.contains { $0.iterations > 0 } }
    probe.stop()
    #expect(recorder.began.isEmpty)
    #expect(answered.answer(threadIsItsOwn: false) == nil, "pings go on after watching has stopped")
  }

  @Test("is refused where there are as many as there is room for")
  func room() throws {
    let probe = try probe()
    defer { probe.stop() }
    for number in 0..<PingedLanes.mostLanes { #expect(probe.pingedLane(name: "lane \(number)") != nil) }
    #expect(probe.pingedLane(name: "one more") == nil)
  }

  @Test("may share its name with another one: both are one lane of the report")
  func sharedName() throws {
    let probe = try probe()
    for _ in 0..<2 {
      let lane = try #require(probe.pingedLane(name: "shared"))
      lane.wait(from: Probe.now())
      _ = lane.answer(threadIsItsOwn: false)
    }
    probe.stop()
    #expect(recorder.loops.map(\.name) == ["shared"])
    #expect(recorder.deltas.reduce(0) { $0 + $1.iterations } == 2)
  }

  /// Waits for what comes in any case, however busy the machine is.
  private func wait(until isTrue: () -> Bool) {
    while !isTrue() { usleep(2_000) }
  }
}
