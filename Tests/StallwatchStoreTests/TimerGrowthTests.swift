import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("The growth of a timer")
struct TimerGrowthTests {
  private let folder = TemporaryFolder()
  private let id = TimerID(rawValue: 1)

  private func timer(loop: LoopID? = Sample.main) -> Record {
    .timer(
      TimerRecord(
        id: id, loop: loop, name: nil, kind: .runLoop, origin: 0, interval: 20 * .millisecond, tolerance: 0, modes: [],
        madeNs: Sample.start))
  }

  /// The timer that becomes of those records, and how many were lost.
  private func kept(_ records: [Record]) throws -> (timer: StoredTimer, losses: [String: UInt64]) {
    let path = folder.file("growth.db")
    try Sample.write([Sample.loop(), Sample.mode(), Sample.mode(1, name: "Private")] + records, to: path)
    let reader = try StoreReader(path: path)
    return (try #require(try reader.timers(session: 1).first), try reader.health(session: 1).losses)
  }

  @Test("has drops by mode also where its loop was reported later than the timer")
  func laterLoop() throws {
    var delta = TimerDelta(timer: id, atNs: Sample.start + 5)
    delta.dropped = 2
    delta.droppedByMode = [(1, 2)]
    let (timer, losses) = try kept([self.timer(loop: nil), self.timer(), .timerDelta(delta)])
    #expect(timer.loop == 1)
    #expect(timer.drops.map(\.mode) == ["Private"])
    #expect(timer.drops.map(\.count) == [2])
    #expect(losses.isEmpty)
  }

  @Test("keeps its lateness when the callout that ended it is reported afterwards")
  func lastCallout() throws {
    var end = TimerDelta(timer: id, atNs: Sample.start + 5)
    end.fired = 2
    end.lateness = Sample.growth(.span, [100, 900])
    end.worst = (900, Sample.start + 4)
    end.endedNs = Sample.start + 5
    var after = TimerDelta(timer: id, atNs: Sample.start + 20)
    after.calloutTotal = 30
    after.calloutMaximum = 30
    let (timer, _) = try kept([self.timer(), .timerDelta(end), .timerDelta(after)])
    #expect(timer.ledger.calloutTotal == 30)
    #expect(timer.ledger.endedNs == Sample.start + 5)
    #expect(timer.ledger.worst?.lateness == 900)
    #expect(timer.lateness?.count == 2)
    #expect(timer.lateness?.total == 1_000)
    #expect(timer.lateness?.maximum == 900)
  }

  /// The lateness in the store, as a reader finds it.
  private func lateness(at path: String) throws -> [UInt64] {
    let lateness = try #require(try StoreReader(path: path).timers(session: 1).first?.lateness)
    return [lateness.count, lateness.total, lateness.maximum]
  }

  private func delta(fired: UInt64, _ durations: [Nanoseconds], longestBefore: Nanoseconds = 0) -> TimerDelta {
    var delta = TimerDelta(timer: id, atNs: Sample.start + 5)
    delta.fired = fired
    delta.lateness = Sample.growth(.span, durations, longestBefore: longestBefore)
    return delta
  }

  @Test("leaves the writer's memory with each closing, and adds up in the store")
  func closings() throws {
    let path = folder.file("closings.db")
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
    writer.take([Sample.loop(), Sample.mode(), timer(), .timerDelta(delta(fired: 2, [900, 1_000]))])
    try writer.commit(closing: .full, trouble: nil)
    #expect(writer.state.timers[id]?.figures.lateness.buckets.isEmpty == true)
    #expect(try lateness(at: path) == [2, 1_900, 1_000])
    writer.take([.timerDelta(delta(fired: 3, [500], longestBefore: 1_000))])
    try writer.show(trouble: nil)
    #expect(try lateness(at: path) == [3, 2_400, 1_000], "store and region together")
    try writer.commit(closing: .full, trouble: nil)
    #expect(try lateness(at: path) == [3, 2_400, 1_000])
  }

  @Test("comes into the store every ten minutes in a crowded session, and outlives a death before that")
  func crowded() throws {
    let path = folder.file("crowded.db")
    let writer = try StoreWriter(
      path: path, session: Sample.session(process: Sample.deadProcess), configuration: .init())
    writer.take([Sample.loop(), Sample.mode(), timer()])
    try writer.commit(closing: nil, trouble: nil)
    let minute = 60 * Nanoseconds.second
    func windows() throws -> [(start: Nanoseconds, minutes: UInt64, fired: UInt64)] {
      var windows: [(Nanoseconds, UInt64, UInt64)] = []
      let list = try ReadAccess(path: path).connection.prepare("SELECT started_ns, length_ns, fired FROM timer_windows")
      while try list.step() {
        var row = list.row
        windows.append((try row.number(UInt64.self), try row.number(UInt64.self) / minute, try row.number(UInt64.self)))
      }
      return windows.map { (start: $0.0, minutes: $0.1, fired: $0.2) }.sorted { $0.start < $1.start }
    }
    for passed in 0..<13 as Range<UInt64> {
      writer.state.isCrowded = true
      var delta = delta(fired: 2, [900 * .millisecond, 901 * .millisecond], longestBefore: passed > 0 ? .max : 0)
      delta.atNs = Sample.start + passed * minute + 1
      writer.take([.timerDelta(delta)])
      if writer.isClosingDue { try writer.commit(closing: .fullWindows, trouble: nil) }
      writer.state.isCrowded = true
      try writer.show(trouble: nil)
      #expect(try lateness(at: path)[0] == 2 * (passed + 1), "store and region together")
      #expect(try windows().count == (passed < 10 ? 0 : 1))
    }
    let origin = Sample.session().startedNs
    #expect(try windows().map(\.minutes) == [10])
    try withExtendedLifetime(writer) { try StoreFinaliser.finalise(path: path) }
    let all = try windows()
    #expect(all.map(\.start) == [origin, origin + 10 * minute])
    #expect(all.reduce(0) { $0 + $1.fired } == 26)
    #expect(try lateness(at: path)[0] == 26)
  }

  @Test("of a timer that ended is not brought in again from a region that still has it")
  func ended() throws {
    let path = folder.file("ended.db")
    let dead = try StoreWriter(
      path: path, session: Sample.session(process: Sample.deadProcess), configuration: .init())
    dead.take([Sample.loop(), Sample.mode(), timer(), .timerDelta(delta(fired: 2, [900, 1_000]))])
    try dead.commit(closing: nil, trouble: nil)
    try dead.show(trouble: nil)
    var last = TimerDelta(timer: id, atNs: Sample.start + 6)
    last.isLast = true
    dead.take([.timerDelta(last)])
    // The process dies before it takes the timer from the region.
    try dead.commit(closing: nil, trouble: nil)
    #expect(try lateness(at: path) == [2, 1_900, 1_000])
    try withExtendedLifetime(dead) { try StoreFinaliser.finalise(path: path) }
    #expect(try lateness(at: path) == [2, 1_900, 1_000])
  }

  @Test("is counted as lost where its histogram was broken, and keeps no other figures out of the store")
  func broken() throws {
    let path = folder.file("broken.db")
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
    writer.take([Sample.loop(), Sample.mode(), timer(), .timerDelta(delta(fired: 2, [900, 1_000]))])
    try writer.commit(closing: .full, trouble: nil)
    try WritableStore.open(path, creating: false, busyTimeout: 0).run("UPDATE timers SET lateness_histogram = x'00'")
    writer.take([
      .timerDelta(delta(fired: 3, [500], longestBefore: 1_000)),
      .loopProgress(LoopProgress(loop: Sample.main, outside: 70, activities: 12)),
    ])
    try writer.commit(closing: .full, trouble: nil)
    #expect(try lateness(at: path) == [1, 500, 1_000])
    let reader = try StoreReader(path: path)
    #expect(try reader.loops(session: 1).first?.activities == 12)
    #expect(try reader.health(session: 1).losses == ["fires": 2])
  }
}
