import CSQLite
import SeededNumbers
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Windows of ticks and of timers")
struct TickWindowTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("store.db") }
  /// Ticks of a loop, every 100 ms with gaps, some of them dropped, some late.
  private static func ticks(_ count: Int, seed: UInt64, of loop: LoopID = Sample.main) -> [DriftTick] {
    var chance = RandomNumbers(seed: seed)
    var number: UInt64 = 7
    return (0..<count).map { _ in
      number += UInt64.random(in: 1...3, using: &chance)
      let lateness = { (isLate: Bool) -> Nanoseconds in
        isLate ? .random(in: 0...300 * .millisecond, using: &chance) : .random(in: 0...900_000, using: &chance)
      }
      let isLate = Int.random(in: 0..<10, using: &chance) == 0
      let isLost = { Int.random(in: 0..<20, using: &chance) == 0 }
      return DriftTick(
        loop: loop, number: number, dueNs: Sample.start + number * 100 * .millisecond,
        runLoopLateness: isLost() ? nil : lateness(isLate), gcdLateness: isLost() ? nil : lateness(false),
        inOtherModes: isLate ? 5 : 0)
    }
  }

  private static func windows(_ ticks: [DriftTick], length: Nanoseconds = 60 * .second) -> [TickWindow] {
    var series = TickSeries()
    let grid = MetricSeries.Grid(origin: Sample.start, length: length)
    for tick in ticks { series.add(tick, on: grid, ofLengths: 1) }
    return series.windows
  }

  /// What all windows together say, to be compared with the ticks.
  private static func sum(_ windows: [TickWindow]) throws -> TickWindow {
    var sum = try #require(windows.first)
    for window in windows.dropFirst() { sum.add(window, cellLength: 0) }
    return sum
  }

  /// Whether a window counts exactly these ticks.
  private func expect(
    _ window: TickWindow, counts ticks: [DriftTick], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (runLoop, gcd) = (ticks.compactMap(\.runLoopLateness), ticks.compactMap(\.gcdLateness))
    let drift = ticks.compactMap { tick in
      tick.runLoopLateness.flatMap { loop in tick.gcdLateness.map { Int64(loop) - Int64($0) } }
    }
    let histogram = { (values: [Nanoseconds]) in
      var histogram = DurationHistogram()
      for value in values { histogram.record(value) }
      return histogram
    }
    let metric = { (values: [Nanoseconds]) in
      StoredMetric(
        count: UInt64(values.count), total: values.reduce(0, +), maximum: values.max() ?? 0,
        histogram: histogram(values))
    }
    #expect(window.ticks == UInt64(ticks.count), sourceLocation: sourceLocation)
    #expect(window.dropped == UInt64(ticks.count - runLoop.count), sourceLocation: sourceLocation)
    #expect(window.runLoop == metric(runLoop), sourceLocation: sourceLocation)
    #expect(window.gcd == metric(gcd), sourceLocation: sourceLocation)
    #expect(window.drift.maximum == drift.max(), sourceLocation: sourceLocation)
    #expect(
      window.drift.total == drift.filter { $0 > 0 }.reduce(0) { $0 + $1.magnitude }, sourceLocation: sourceLocation)
    #expect(window.drift.above == histogram(drift.filter { $0 >= 0 }.map(\.magnitude)), sourceLocation: sourceLocation)
    #expect(window.drift.below == histogram(drift.filter { $0 < 0 }.map(\.magnitude)), sourceLocation: sourceLocation)
    #expect(window.inOtherModes == ticks.reduce(0) { $0 + $1.inOtherModes }, sourceLocation: sourceLocation)
    let late = runLoop.filter { $0 > DriftTick.leastLateness }
    #expect(window.late.count == UInt64(late.count), sourceLocation: sourceLocation)
    #expect(window.late.lateness == late.reduce(0, +), sourceLocation: sourceLocation)
    let served = ticks.filter { $0.runLoopLateness != nil }
    let steps = served.map { $0.number - ticks[0].number }
    #expect(window.first.number == ticks[0].number, sourceLocation: sourceLocation)
    #expect(window.last.dueNs == ticks.last?.dueNs, sourceLocation: sourceLocation)
    #expect(window.steps.total == steps.reduce(0, +), sourceLocation: sourceLocation)
    #expect(window.steps.squares == steps.reduce(0) { $0 + $1 * $1 }, sourceLocation: sourceLocation)
    #expect(
      window.steps.lateness == zip(steps, served).reduce(0) { $0 + $1.0 * $1.1.runLoopLateness! },
      sourceLocation: sourceLocation)
  }

  @Test("count every tick, to the nanosecond, and percentiles to the counter", arguments: 1...5)
  func sums(seed: UInt64) throws {
    let ticks = Self.ticks(2_000, seed: seed)
    let windows = Self.windows(ticks)
    #expect(windows.count > 3)
    for window in windows {
      let end = window.startedNs + window.length
      expect(window, counts: ticks.filter { (window.startedNs..<end).contains($0.dueNs) })
    }
    expect(try Self.sum(windows), counts: ticks)
  }

  @Test("are the same in whatever order ticks come")
  func order() throws {
    let ticks = Self.ticks(300, seed: 9)
    var chance = RandomNumbers(seed: 1)
    let window = try Self.sum(Self.windows(ticks.shuffled(using: &chance)))
    expect(window, counts: ticks)
  }

  @Test("keep the latest ticks, at most 16, count the others, and mark them in cells")
  func kept() throws {
    let ticks = (0..<600 as Range<UInt64>).map { number in
      DriftTick(
        loop: Sample.main, number: number, dueNs: Sample.start + number * 100 * .millisecond,
        runLoopLateness: number % 10 == 0 ? (2 + number) * .millisecond : 40_000, gcdLateness: 1_000_000 + number,
        inOtherModes: 0)
    }
    let window = try #require(Self.windows(ticks).first)
    let late = ticks.filter { $0.runLoopLateness! > DriftTick.leastLateness }
    #expect(window.kept.map(\.tick) == late.suffix(16))
    #expect(window.late.count == 60)
    #expect(window.leftOut.count == 44)
    #expect(
      window.leftOut.rest + window.kept.reduce(0) { $0 + $1.lateness - $1.machine }
        == window.late.lateness - window.late.machine)
    #expect(window.gcdLate == (1...599).reduce(0) { $0 + 1_000_000 + $1 })
    #expect(window.cells.count == 60)
    // A cell of one second: the late tick at its beginning is left out in the first cells, and kept in the last.
    let lowest = { HistogramLayout.lowestDuration(at: HistogramLayout.index(of: $0)) }
    #expect(window.cells[3].runLoop == lowest(32 * .millisecond))
    #expect(window.cells[59].runLoop == lowest(40_000))
    #expect(window.cells[59].gcd == lowest(1_000_599))
  }

  @Test("come back from the store and from the live region as they were")
  func roundTrip() throws {
    let ticks = Self.ticks(900, seed: 3)
    let windows = Self.windows(ticks)
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
    writer.take([Sample.loop()])
    try writer.commit(closing: nil, trouble: nil)
    writer.take(ticks.map { .driftTick($0) })
    try writer.show(trouble: nil)
    let read = try #require(LiveRegionFile(path: folder.file("store.db-live-1"))?.figures.ticks.first)
    #expect(read.loop == 1)
    #expect(Self.anonymous(read.windows) == Self.anonymous(windows))
    try writer.commit(closing: .full, trouble: nil)
    let reader = try StoreReader(path: path)
    var (stored, rows) = ([TickWindow](), [StoredTick]())
    try reader.forEachTickWindow(session: 1) { stored.append($1) }
    try reader.forEachTick(session: 1) { rows.append($0) }
    #expect(stored == windows.map(Self.withoutKept))
    let kept = Self.anonymous(windows).flatMap(\.kept).sorted { $0.tick.number < $1.tick.number }
    #expect(rows == kept.map { StoredTick(loop: 1, tick: $0.tick, machine: $0.machine) })
  }

  private static func anonymous(_ windows: [TickWindow]) -> [TickWindow] {
    windows.map { window in
      var window = window
      for place in window.kept.indices { window.kept[place].tick.loop = LoopID(rawValue: 0) }
      return window
    }
  }

  private static func withoutKept(_ window: TickWindow) -> TickWindow {
    var window = window
    window.kept = []
    return window
  }

  @Test("grow coarser with age without losing a figure")
  func aging() throws {
    let aging = try AgingWriter(path)
    let second = LoopID(rawValue: 2)
    let ticks = Self.ticks(12_000, seed: 4)
    let timers = (0..<40 as Range<UInt64>).map { minute in
      var delta = TimerDelta(timer: TimerID(rawValue: 1), atNs: Sample.start + minute * 60 * .second)
      (delta.fired, delta.dropped) = (minute + 1, 1)
      delta.lateness = Sample.growth(.span, [minute * .millisecond + 900], longestBefore: minute * .millisecond)
      return Record.timerDelta(delta)
    }
    try aging.writer.write([
      Sample.loop(second, name: "other"),
      .timer(
        TimerRecord(
          id: TimerID(rawValue: 1), loop: Sample.main, name: "poll", kind: .runLoop, origin: 0, interval: .second,
          tolerance: 0, modes: [], madeNs: Sample.start)),
    ])
    for timer in timers { try aging.writer.write([timer]) }
    for part in stride(from: 0, to: ticks.count, by: 500) {
      let some = ticks[part..<min(part + 500, ticks.count)]
      try aging.writer.write(some.map { .driftTick($0) })
      try aging.writer.write(
        some.map { tick in
          var tick = tick
          tick.loop = second
          return .driftTick(tick)
        })
    }
    func sums() throws -> (ticks: [TickWindow], rows: Int, timer: TimerWindow) {
      let reader = try StoreReader(path: path)
      var (windows, timers, rows) = ([Int64: [TickWindow]](), [TimerWindow](), 0)
      try reader.forEachTickWindow(session: 1) { windows[$0, default: []].append($1) }
      try reader.forEachTimerWindow(session: 1) { timers.append($1) }
      try reader.forEachTick(session: 1) { _ in rows += 1 }
      var timer = try #require(timers.first)
      for window in timers.dropFirst() { timer.add(window) }
      return (try [1, 2].map { try Self.sum(windows[$0] ?? []) }, rows, timer)
    }
    let before = try sums()
    #expect(before.timer.fired == 820 && before.timer.dropped == 40)
    for window in before.ticks { expect(window, counts: ticks) }
    let minutes = try aging.number("SELECT count(DISTINCT started_ns) FROM tick_windows")
    for (age, length) in [(2 * AgingWriter.day, 600), (8 * AgingWriter.day, 3_600)] as [(Nanoseconds, Int64)] {
      try aging.tend(at: age)
      let after = try sums()
      for window in after.ticks { expect(window, counts: ticks) }
      #expect(after.timer == before.timer)
      #expect(after.rows == before.rows, "late ticks stay")
      let most = (minutes * 60 + length - 1) / length
      #expect(try aging.number("SELECT count(*) FROM tick_windows WHERE loop = 1") == most)
      #expect(try aging.number("SELECT count(*) FROM timer_windows") == (40 * 60 + length - 1) / length)
      #expect(try aging.number("SELECT max(length(cells)) FROM tick_windows") <= 61 * 4)
    }
  }

  @Test("are written only for timers that dropped something, or came later than allowed")
  func quietTimers() throws {
    func timer(_ number: UInt64, tolerance: Nanoseconds = 0) -> Record {
      .timer(
        TimerRecord(
          id: TimerID(rawValue: number), loop: Sample.main, name: nil, kind: .runLoop, origin: number,
          interval: .second, tolerance: tolerance, modes: [], madeNs: Sample.start))
    }
    func growth(_ number: UInt64, late: Nanoseconds, dropped: UInt64 = 0) -> Record {
      var delta = TimerDelta(timer: TimerID(rawValue: number), atNs: Sample.start + .second)
      (delta.fired, delta.dropped) = (1, dropped)
      delta.lateness = Sample.growth(.span, [late])
      return .timerDelta(delta)
    }
    // The last record of a timer has no growth.
    var last = TimerDelta(timer: TimerID(rawValue: 5), atNs: Sample.start + 2 * .second)
    last.isLast = true
    try Sample.write(
      [
        Sample.loop(), timer(1), timer(2), timer(3), timer(4, tolerance: 5 * .millisecond), timer(5),
        growth(1, late: 300_000), growth(2, late: 3 * .millisecond), growth(3, late: 0, dropped: 1),
        growth(4, late: 3 * .millisecond),
        growth(5, late: 9 * .millisecond), .timerDelta(last),
      ], to: path)
    var timers: [Int64] = []
    try StoreReader(path: path).forEachTimerWindow(session: 1) { timer, _ in timers.append(timer) }
    #expect(timers.sorted() == [2, 3, 5])
  }

  @Test("of a loop that has ended stay")
  func ended() throws {
    let ticks = Self.ticks(100, seed: 6)
    try Sample.write(
      [Sample.loop()] + ticks.map { .driftTick($0) }
        + [.loopProgress(LoopProgress(loop: Sample.main, outside: 0, activities: 1, endedNs: Sample.start + .second))],
      to: path)
    var windows: [TickWindow] = []
    try StoreReader(path: path).forEachTickWindow(session: 1) { windows.append($1) }
    expect(try Self.sum(windows), counts: ticks)
  }

  @Test("stand in views, together with ticks of older versions")
  func views() throws {
    let old = try Fixture.version(5, in: folder)
    let drift =
      "SELECT group_concat(loop || minute || ' ' || ticks || dropped || ' ' || run_loop_ms) FROM drift_by_minute"
    let before = try answer(drift, from: old)
    var records = TimerTests.records
    records.append(
      .driftTick(
        DriftTick(
          loop: Sample.main, number: 9, dueNs: Sample.start + 61 * .second, runLoopLateness: 4 * .millisecond,
          gcdLateness: nil, inOtherModes: 0)))
    try Sample.write(records, to: old)
    #expect(try answer(drift + " WHERE session = 1", from: old) == before)
    #expect(try answer(drift + " WHERE session = 2", from: old) == "main0 21 2.0e-05,main1 10 4.0")
    #expect(
      try answer(
        "SELECT loop || name || minute || ' ' || fired || ' ' || dropped || ' ' || worst_ms FROM lateness_by_minute",
        from: old) == "mainpoll0 15 4 0.07")
  }

  /// The first text that a query by hand gives: a reader of ours trusts no view.
  private func answer(_ query: String, from path: String) throws -> String? {
    var database: OpaquePointer?
    #expect(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    defer { sqlite3_close_v2(database) }
    var statement: OpaquePointer?
    #expect(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    #expect(sqlite3_step(statement) == SQLITE_ROW)
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }

  @Test("of older versions are none, and their ticks stay as they are", arguments: [4, 5])
  func older(version: Int) throws {
    let path = try Fixture.version(version, in: folder)
    func ticks() throws -> [StoredTick] {
      let reader = try StoreReader(path: path)
      var ticks: [StoredTick] = []
      try reader.forEachTick(session: 1) { ticks.append($0) }
      try reader.forEachTickWindow(session: 1) { _, _ in Issue.record("there is no window") }
      try reader.forEachTimerWindow(session: 1) { _, _ in Issue.record("there is no window") }
      return ticks
    }
    let before = try ticks()
    #expect(!before.isEmpty && before.allSatisfy { $0.machine == nil })
    try Sample.write([], to: path)
    #expect(try StoreReader(path: path).access.version == Schema.version)
    #expect(try ticks() == before)
  }
}
