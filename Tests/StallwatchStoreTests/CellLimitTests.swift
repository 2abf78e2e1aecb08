import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("The limit of cells")
struct CellLimitTests {
  private let folder = TemporaryFolder()
  private static let modes = 90
  private static let stalled = 7

  /// Two minutes of loops that all turn, of which one stalls.
  private func write(to path: String) throws -> StoreWriter {
    let writer = try StoreWriter(
      path: path, session: Sample.session(process: Sample.deadProcess), configuration: .init())
    for number in 0..<Self.modes {
      let loop = LoopID(rawValue: UInt32(number))
      writer.take([
        .loop(LoopRecord(id: loop, name: "l\(number)", threadID: 1, isMain: false, startedNs: Sample.start)),
        .mode(ModeRecord(loop: loop, index: 0, name: "m", attachedNs: Sample.start)),
      ])
    }
    try writer.commit(closing: nil, trouble: nil)
    for step in 1...480 {
      let end = Sample.start + Nanoseconds(step) * 250 * .millisecond
      for number in 0..<Self.modes {
        writer.take([
          .profile(
            ProfileDelta(
              loop: LoopID(rawValue: UInt32(number)), mode: 0, atNs: end, entries: 0, iterations: 5, starved: 0,
              metrics: [Sample.growth(.span, [Nanoseconds(step) * 40_000])],
              stretches: [
                ModeStretch(
                  startNs: end - 250 * .millisecond, endNs: end, busy: Nanoseconds(number * 1_000 + step),
                  waiting: 3, outside: 0, iterations: 5, longest: 9)
              ]))
        ])
      }
      if step == 150 {
        let began = StallBegan(
          id: StallID(rawValue: 1), loop: LoopID(rawValue: UInt32(Self.stalled)), mode: 0, phase: .sources, depth: 1,
          kind: .stall, startedNs: end, detectedNs: end + 1)
        writer.take([.stallBegan(began)])
        try writer.commit(closing: nil, trouble: nil)
        writer.take([
          .stallEnded(
            StallEnded(
              id: StallID(rawValue: 1), state: .ended, duration: 200 * .millisecond, phase: .sources, reason: nil))
        ])
        try writer.commit(closing: nil, trouble: nil)
      }
      if writer.isClosingDue { try writer.commit(closing: .fullWindows, trouble: nil) }
      try writer.show(trouble: nil)
    }
    return writer
  }

  @Test("makes cells coarser but for those around a loop's stall, and loses nothing")
  func crowd() throws {
    let path = folder.file("crowd.db")
    let writer = try write(to: path)
    #expect(writer.state.isCrowded)
    let reader = try StoreReader(path: path)
    for number in [0, Self.stalled, Self.modes - 1] {
      let loops = try reader.loops(session: 1)
      let loop = try #require(loops.first(where: { $0.record.name == "l\(number)" }))
      let mode = try #require(try reader.modes(loop: loop.id).first)
      #expect(mode.iterations == 480 * 5)
      #expect(mode.metrics[.span]?.count == 480)
    }
    var busy: [Int64: Nanoseconds] = [:]
    var inPieces: [Int64: Nanoseconds] = [:]
    try reader.forEachWindow(session: 1) { window in
      busy[window.mode, default: 0] += window.busy
      inPieces[window.mode, default: 0] += window.pieces.reduce(0) { $0 + $1.busy }
    }
    let sum = (1...480 as ClosedRange<UInt64>).reduce(0, +)
    #expect(Set(busy.values) == Set((0..<Self.modes).map { UInt64($0) * 480_000 + sum }))
    #expect(busy == inPieces)
    // A minute of all of them at 250 ms would have 21,600 cells.
    let connection = try ReadAccess(path: path).connection
    let cells = try #require(try connection.firstInteger("SELECT sum(length_ns / cell_ns) FROM time_windows"))
    #expect(cells < 12_000)
    // Half a window before and after the stall, at 250 ms.
    let mode = try #require(
      try connection.firstInteger(
        "SELECT modes.id FROM modes JOIN loops ON loops.id = loop WHERE loops.name = 'l\(Self.stalled)'"))
    let around = Sample.start + 37_500 * .millisecond
    for moment in [around - 2 * .second, around, around + 2 * .second] {
      let length = try connection.firstInteger(
        """
        SELECT min(cell_ns) FROM time_windows
        WHERE mode = \(mode) AND started_ns <= \(moment) AND started_ns + length_ns > \(moment)
        """)
      #expect(length == Int64(250 * Nanoseconds.millisecond))
    }
  }

  @Test("makes the windows of metrics that go on as long as those that follow")
  func lengths() throws {
    let path = folder.file("lengths.db")
    let writer = try write(to: path)
    #expect(writer.state.closings > 0)
    func lengths() throws -> [Int64?] {
      let connection = try ReadAccess(path: path).connection
      return try ["count(*)", "min(started_ns)", "max(started_ns)", "min(length_ns)", "max(length_ns)"].map { what in
        try connection.firstInteger("SELECT \(what) FROM metric_windows")
      }
    }
    #expect(try lengths()[0] == 0)
    try withExtendedLifetime(writer) { try StoreFinaliser.finalise(path: path) }
    let (origin, length) = (Int64(Sample.session().startedNs), CellLimit().metricWindows * 60 * .second)
    #expect(try lengths() == [Int64(Self.modes), origin, origin, Int64(length), Int64(length)])
  }

  @Test("keeps the lengths of waits within 6 %, and those of spans within 0.8 %, and all counts and sums")
  func waits() throws {
    var state = WriterState(lastSeenNs: 0)
    let key = WriterState.ModeKey(loop: LoopID(rawValue: 1), index: 0)
    state.loops[key.loop] = WriterState.Loop(row: 1)
    var mode = WriterState.Mode(row: 1)
    let lengths = (0..<500 as Range<UInt64>).map { 20 * .millisecond + $0 * 61_803 }
    mode.metrics.add(
      [Metric.waiting, .gap, .span].map { Sample.growth($0, lengths) }, at: 1,
      on: MetricSeries.Grid(origin: 0, length: 60 * .second), ofLengths: 1)
    state.modes[key] = mode
    let whole = try #require(state.figures(of: key)).metrics[0].metrics
    state.isCrowded = true
    let found = try #require(state.figures(of: key)).metrics[0].metrics
    #expect(found[Int(Metric.span.rawValue)] == whole[Int(Metric.span.rawValue)])
    for metric in [Metric.waiting, .gap] {
      let (coarse, fine) = try (#require(found[Int(metric.rawValue)]), #require(whole[Int(metric.rawValue)]))
      #expect(coarse.count == fine.count && coarse.total == fine.total && coarse.maximum == fine.maximum)
      #expect(coarse.buckets.reduce(0) { $0 + $1.count } == fine.count)
      #expect(coarse.buckets.count * 4 < fine.buckets.count)
      let (first, last) = (try #require(coarse.buckets.first), try #require(coarse.buckets.last))
      for (bucket, length) in [(first, lengths[0]), (last, fine.maximum)] {
        let lowest = Double(HistogramLayout.lowestDuration(at: Int(bucket.index)))
        #expect(lowest <= Double(length) && lowest > Double(length) / 1.0625)
      }
    }
  }

  @Test("keeps everything through a death, once")
  func death() throws {
    let path = folder.file("dead.db")
    let writer = try write(to: path)
    #expect(FileManager.default.fileExists(atPath: path + "-live-1"))
    try withExtendedLifetime(writer) { try StoreFinaliser.finalise(path: path) }
    let iterations = try ReadAccess(path: path).connection.firstInteger("SELECT sum(iterations) FROM time_windows")
    #expect(iterations == Int64(Self.modes * 480 * 5))
    let samples = try ReadAccess(path: path).connection.firstInteger("SELECT sum(count) FROM metric_windows")
    #expect(samples == Int64(Self.modes * 480))
  }
}
