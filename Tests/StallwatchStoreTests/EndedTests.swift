import StallwatchCore
import Testing

@testable import StallwatchStore

/// What the writer keeps of things that are over.
@Suite("What is over leaves the writer")
struct EndedTests {
  private let folder = TemporaryFolder()

  private func writer() throws -> StoreWriter {
    try StoreWriter(path: folder.file("ended.db"), session: Sample.session(), configuration: .init())
  }

  private func timer(_ number: UInt64, of loop: LoopID) -> TimerRecord {
    TimerRecord(
      id: TimerID(rawValue: number), loop: loop, name: nil, kind: .runLoop, origin: 7, interval: 20 * .millisecond,
      tolerance: 0, modes: ["kCFRunLoopDefaultMode"], madeNs: Sample.start)
  }

  @Test("loops with their modes, timers and losses")
  func loops() throws {
    let writer = try writer()
    for number in 1...300 as ClosedRange<UInt32> {
      let loop = LoopID(rawValue: number)
      var growth = TimerDelta(timer: TimerID(rawValue: UInt64(number)), atNs: Sample.start + 1)
      growth.fired = 1
      try writer.write(
        [
          Sample.loop(loop, name: "worker"), Sample.mode(of: loop), Sample.mode(1, of: loop, name: "Private"),
          .timer(timer(UInt64(number), of: loop)), .timerDelta(growth),
          Sample.profile(at: 5, of: loop, [Sample.growth(.span, [3])]),
          .loss(LossRecord(what: "ticks", loop: loop, count: 1)),
          .loopProgress(LoopProgress(loop: loop, outside: 4, activities: 2, endedNs: Sample.start + 9)),
        ], trouble: nil)
    }
    #expect(writer.state.loops.isEmpty)
    #expect(writer.state.modes.isEmpty)
    #expect(writer.state.timers.isEmpty)
    #expect(writer.state.losses.isEmpty)
    let reader = try StoreReader(path: folder.file("ended.db"))
    #expect(try reader.loops(session: 1).count == 300)
    #expect(try reader.timers(session: 1).reduce(0) { $0 + $1.ledger.fired } == 300)
    #expect(try reader.health(session: 1).losses == ["ticks": 300])
  }

  @Test("loops whose records could not be written, and figures that could not: memory stays bounded, and losses count")
  func givenUp() throws {
    let writer = try writer()
    let tick = Record.driftTick(
      DriftTick(
        loop: Sample.main, number: 1, dueNs: Sample.start, runLoopLateness: 1, gcdLateness: 1, inOtherModes: 0))
    writer.take([
      Sample.loop(), Sample.mode(), .timer(timer(1, of: Sample.main)), tick,
      Sample.profile(at: 5, [Sample.growth(.span, [3])]),
    ])
    let given = writer.giveUpWaiting(figures: true)
    // Three records, a window of ticks, a window of time and one of metrics.
    #expect(given.records == 6)
    #expect(writer.state.loops.isEmpty && writer.state.modes.isEmpty && writer.state.timers.isEmpty)
    try writer.write([tick, Sample.profile(at: 6, [Sample.growth(.span, [3])])])
    #expect(try StoreReader(path: folder.file("ended.db")).health(session: 1).losses == ["records": 2])
  }

  @Test("timers of which no more records come, of a loop that goes on")
  func timers() throws {
    let writer = try writer()
    try writer.write([Sample.loop(), Sample.mode()], trouble: nil)
    for number in 1...300 as ClosedRange<UInt64> {
      var last = TimerDelta(timer: TimerID(rawValue: number), atNs: Sample.start + 1)
      last.isLast = true
      try writer.write([.timer(timer(number, of: Sample.main)), .timerDelta(last)], trouble: nil)
    }
    #expect(writer.state.timers.isEmpty)
    let ofLoops = writer.state.loops.values.map(\.timers.count)
    #expect(ofLoops == [0])
  }

  @Test("and a timer's entry goes on with the next one of its site: one row, exact sums, not ended")
  func entry() throws {
    let writer = try writer()
    try writer.write([Sample.loop(), Sample.mode()], trouble: nil)
    for number in 1...3 as ClosedRange<UInt64> {
      var growth = TimerDelta(timer: TimerID(rawValue: 1), atNs: Sample.start + number)
      growth.fired = 2
      growth.dropped = 1
      growth.lateness = Sample.growth(.span, [number * 100, 7])
      growth.worst = number == 2 ? nil : (number * 100, Sample.start + number)
      growth.endedNs = number < 3 ? Sample.start + number : nil
      try writer.write([.timer(timer(1, of: Sample.main)), .timerDelta(growth)], trouble: nil)
    }
    let reader = try StoreReader(path: folder.file("ended.db"))
    let timers = try reader.timers(session: 1)
    #expect(timers.count == 1)
    #expect(timers.first?.ledger.fired == 6)
    #expect(timers.first?.ledger.dropped == 3)
    #expect(timers.first?.ledger.endedNs == nil)
    #expect(timers.first?.lateness?.count == 6)
    #expect(timers.first?.lateness?.total == 621)
    #expect(timers.first?.ledger.worst?.lateness == 300)
  }
}
