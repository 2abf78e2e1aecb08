import StallwatchCore
import StallwatchStore
import Testing

@Suite("Timers in a store")
struct TimerTests {
  private let folder = TemporaryFolder()

  static let records: [Record] = [
    Sample.loop(), Sample.mode(), Sample.mode(1, name: "Private"), Sample.began(1, at: 1 * .second),
    .timer(timer(1, name: "poll", modes: ["kCFRunLoopDefaultMode"])), .timer(timer(2, origin: 0x8000_0000_0000_0005)),
    .timerDelta(delta(1, fired: 10, dropped: 3, byMode: 2, lateness: [100, 900])),
    .timerDelta(delta(1, fired: 5, dropped: 1, byMode: 1, lateness: [70_000], longestBefore: 900)),
    .stallTimer(hurt(1, late: 1, dropped: 2, worst: 50)), .stallTimer(hurt(1, late: 2, dropped: 0, worst: 80)),
    Sample.ended(1, duration: 300 * .millisecond),
    .driftTick(tick(0, 20, 30)), .driftTick(tick(1, nil, 40)),
    Sample.health(at: 1),
  ]

  private static func timer(
    _ number: UInt64, name: String? = nil, origin: UInt64 = 0, modes: [String] = []
  ) -> TimerRecord {
    TimerRecord(
      id: TimerID(rawValue: number), loop: Sample.main, name: name, kind: .runLoop, origin: origin,
      interval: 20 * .millisecond, tolerance: 0, modes: modes, madeNs: Sample.start)
  }

  private static func delta(
    _ number: UInt64, fired: UInt64, dropped: UInt64, byMode: UInt64, lateness: [Nanoseconds],
    longestBefore: Nanoseconds = 0
  ) -> TimerDelta {
    var delta = TimerDelta(timer: TimerID(rawValue: number), atNs: Sample.start + 5)
    delta.fired = fired
    delta.dropped = dropped
    delta.droppedByMode = [(1, byMode)]
    delta.coalesced = 1
    delta.calloutTotal = 7
    delta.calloutMaximum = 4
    delta.lateness = Sample.growth(.span, lateness, longestBefore: longestBefore)
    delta.worst = (lateness.max()!, Sample.start + lateness.max()!)
    return delta
  }

  private static func hurt(_ stall: UInt64, late: UInt64, dropped: UInt64, worst: Nanoseconds) -> StallTimer {
    StallTimer(
      stall: StallID(rawValue: stall), timer: TimerID(rawValue: 1), late: late, dropped: dropped, worstLateness: worst)
  }

  private static func tick(_ number: UInt64, _ runLoop: Nanoseconds?, _ gcd: Nanoseconds?) -> DriftTick {
    DriftTick(
      loop: Sample.main, number: number, dueNs: Sample.start + number, runLoopLateness: runLoop, gcdLateness: gcd,
      inOtherModes: 3)
  }

  @Test("are what their growth adds up to, with what modes and stalls did to them")
  func timers() throws {
    let path = folder.file("timers.db")
    try Sample.write(Self.records, to: path)
    let reader = try StoreReader(path: path)
    let timers = try reader.timers(session: 1)
    #expect(timers.map(\.record.id.rawValue) == [1, 2])
    let first = timers[0]
    #expect(first.record.name == "poll")
    #expect(first.record.modes == ["kCFRunLoopDefaultMode"])
    #expect(first.ledger.fired == 15)
    #expect(first.ledger.dropped == 4)
    #expect(first.due == 19)
    #expect(first.ledger.coalesced == 2)
    #expect(first.ledger.calloutTotal == 14)
    #expect(first.ledger.calloutMaximum == 4)
    #expect(first.lateness?.count == 3)
    #expect(first.lateness?.maximum == 70_000)
    #expect(first.ledger.worst?.lateness == 70_000)
    #expect(first.ledger.worst?.atNs == Sample.start + 70_000)
    #expect(first.drops.map(\.mode) == ["Private"])
    #expect(first.drops.map(\.count) == [3])
    let hurt = StoredStallTimer(stall: 1, timer: first.id, late: 3, dropped: 2, worstLateness: 80)
    #expect(first.stalls == [hurt])
    #expect(try reader.timers(stall: 1) == [hurt])
    #expect(timers[1].record.origin == 0x8000_0000_0000_0005)
    #expect(timers[1].lateness == nil)
    try reader.forEachTick(session: 1) { _ in Issue.record("no tick is late") }
    var windows: [TickWindow] = []
    try reader.forEachTickWindow(session: 1) { loop, window in
      #expect(loop == 1)
      windows.append(window)
    }
    #expect(windows.map(\.ticks) == [2])
    #expect(windows.map(\.dropped) == [1])
    #expect(windows.map(\.runLoop.total) == [20])
    #expect(windows.map(\.gcd.total) == [70])
  }

  @Test("are none in a store of an older version")
  func older() throws {
    let reader = try StoreReader(path: try Fixture.version(3, in: folder))
    #expect(try reader.timers(session: 1).isEmpty)
    #expect(try reader.timers(stall: 1).isEmpty)
    try reader.forEachTick(session: 1) { _ in Issue.record("there is no tick") }
    try reader.forEachTickWindow(session: 1) { _, _ in Issue.record("there is no window") }
  }

  @Test("of version 4 read as they were written")
  func version4() throws {
    let reader = try StoreReader(path: try Fixture.version(4, in: folder))
    #expect(try reader.timers(session: 1).map(\.ledger.fired) == [15, 0])
    var ticks: [StoredTick] = []
    try reader.forEachTick(session: 1) { ticks.append($0) }
    #expect(ticks.map(\.tick.runLoopLateness) == [20, nil])
    #expect(ticks.map(\.machine) == [nil, nil])
  }
}
