import CSQLite
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Windows of time")
struct WindowTests {
  private let folder = TemporaryFolder()
  private static let origin = Sample.start
  private let grid = WindowSeries.Grid(
    origin: origin, windowLength: 15 * .second, cellLength: 250 * .millisecond, evenLength: 15 * .second)

  private func stretch(
    _ from: Nanoseconds, _ to: Nanoseconds, busy: Nanoseconds = 0, waiting: Nanoseconds = 0,
    outside: Nanoseconds = 0, iterations: UInt64 = 0, longest: Nanoseconds = 0
  ) -> ModeStretch {
    ModeStretch(
      startNs: Self.origin + from, endNs: Self.origin + to, busy: busy, waiting: waiting, outside: outside,
      iterations: iterations, longest: longest)
  }

  private func series(_ stretches: [ModeStretch]) -> [TimeWindow] {
    var series = WindowSeries()
    for stretch in stretches { series.add(stretch, on: grid) }
    return series.windows
  }

  @Test("spread a stretch over its cells by length, to the nanosecond")
  func spreading() {
    let windows = series([
      stretch(
        200 * .millisecond, 600 * .millisecond, busy: 100_000_001, waiting: 299_999_999, iterations: 8, longest: 7_000)
    ])
    #expect(windows.count == 1)
    let cells = windows[0].cells
    #expect(cells.map(\.busyNs) == [12_500_000, 62_500_000, 25_000_001])
    #expect(cells.map(\.iterations) == [1, 5, 2])
    #expect(cells.map(\.longest) == [0, 0, HistogramLayout.lowestDuration(at: HistogramLayout.index(of: 7_000))])
    #expect(cells.reduce(0) { $0 + $1.busy } == 100_000_001)
    #expect(cells.reduce(0) { $0 + $1.waiting } == 299_999_999)
    #expect(windows[0].longest == 7_000)
  }

  @Test("take room for a quarter more cells when they grow, and not for twice as many")
  func room() {
    var window = TimeWindow(startedNs: Self.origin, cellLength: grid.cellLength)
    for cell in 0..<60 as Range<Nanoseconds> {
      let start = cell * grid.cellLength
      window.add(stretch(start, start + 1, busy: 1), cellStart: Self.origin + start)
      // What malloc rounds to comes on top.
      #expect(window.cells.capacity <= window.cells.count * 5 / 4 + 4)
    }
    #expect(window.cells.count == 60)
  }

  @Test("lose nothing, however stretches lie: the cells add up to the windows, and these to the stretches")
  func sums() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var (moment, stretches): (Nanoseconds, [ModeStretch]) = (0, [])
      for _ in 0..<60 {
        let length = Nanoseconds.random(in: 1...[30 * .millisecond, 3 * .second, 90 * .second].randomElement()!)
        let busy = Nanoseconds.random(in: 0...length)
        // An earlier one, too: time outside runs comes when it is over.
        let start = Bool.random() ? moment : moment / 2
        stretches.append(
          stretch(
            start, start + length, busy: busy, waiting: length - busy, iterations: .random(in: 0...9), longest: busy))
        moment += length
      }
      let windows = series(stretches)
      let cells = windows.flatMap(\.cells)
      let even = windows.filter(\.cells.isEmpty)
      #expect(windows.reduce(0) { $0 + $1.busy } == stretches.reduce(0) { $0 + $1.busy })
      #expect(windows.reduce(0) { $0 + $1.waiting } == stretches.reduce(0) { $0 + $1.waiting })
      #expect(windows.reduce(0) { $0 + $1.iterations } == stretches.reduce(0) { $0 + $1.iterations })
      #expect(windows.map(\.longest).max() == stretches.map(\.longest).max())
      let (all, uneven) = (cells.reduce(0) { $0 + $1.busy }, even.reduce(0) { $0 + $1.busy })
      #expect(all + uneven == stretches.reduce(0) { $0 + $1.busy })
      #expect(windows.allSatisfy { $0.cells.count <= 60 && $0.length > 0 })
      #expect(windows.allSatisfy { ($0.startedNs - Self.origin).isMultiple(of: grid.cellLength) })
      _ = random.next()
    }
  }

  @Test("have no cells for what was the same all the while")
  func even() {
    let windows = series([
      stretch(0, 100 * .millisecond, busy: 5), stretch(100 * .millisecond, 3_600 * .second, waiting: 9),
    ])
    #expect(windows.map(\.cells.count) == [1, 0])
    #expect(windows[1].startedNs == Self.origin + 250 * .millisecond)
    #expect(windows[1].length == 3_600 * .second - 250 * .millisecond)
    #expect(windows.reduce(0) { $0 + $1.waiting } == 9)
  }

  @Test("bear moments and sums that no clock shows")
  func extremes() {
    let windows = series([
      ModeStretch(startNs: 0, endNs: 5, busy: .max), ModeStretch(startNs: .max, endNs: 0, waiting: .max),
      ModeStretch(startNs: 1, endNs: .max, busy: .max, waiting: .max, outside: .max, iterations: .max, longest: .max),
    ])
    #expect(windows.contains { $0.busy == .max })
    let bytes = CellEncoding.encode(windows.flatMap(\.cells), withOutside: true)
    #expect(!bytes.isEmpty)
  }

  @Test("have cells that SQL reads as this code does", arguments: [false, true])
  func sql(withOutside: Bool) throws {
    let lengths: [Nanoseconds] = [0, 300, 70_000, 65_535, 200 * .millisecond, 4 * .second]
    let stretches = lengths.enumerated().map { place, longest in
      let start = Nanoseconds(place) * grid.cellLength
      return stretch(
        start, start + grid.cellLength, busy: UInt64(place) * 40_000_003, waiting: 249_999_999 - UInt64(place),
        outside: withOutside ? UInt64(place) * 3 : 0, iterations: UInt64(place) * 70_001, longest: longest)
    }
    let path = folder.file("cells.db")
    try Sample.write(
      [
        Sample.loop(), Sample.mode(),
        .profile(
          ProfileDelta(
            loop: Sample.main, mode: 0, atNs: Sample.start + 2 * .second, entries: 0, iterations: 0, starved: 0,
            metrics: [],
            stretches: stretches)),
      ], to: path)
    var pieces: [StoredWindow] = []
    let reader = try StoreReader(path: path)
    try reader.forEachWindow(session: 1) { pieces += $0.pieces }
    #expect(pieces.map(\.busy) == stretches.map(\.busy))
    // Like a query by hand: a reader of ours trusts no view.
    var database: OpaquePointer?
    #expect(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    defer { sqlite3_close_v2(database) }
    var statement: OpaquePointer?
    let query =
      "SELECT started_ns, busy_ns, waiting_ns, outside_ns, iterations, longest_ns FROM time_cells ORDER BY started_ns"
    #expect(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    for piece in pieces {
      try #require(sqlite3_step(statement) == SQLITE_ROW)
      let numbers = (0..<6 as Range<Int32>).map { UInt64(sqlite3_column_int64(statement, $0)) }
      #expect(
        numbers == [
          piece.startedNs, piece.busy, piece.waiting, piece.outside, piece.iterations, piece.longest,
        ])
    }
    #expect(sqlite3_step(statement) == SQLITE_DONE)
  }

  @Test("of an older store have no cells, and its sums", arguments: [1, 3])
  func older(version: Int) throws {
    let path = try Fixture.version(version, in: folder)
    let before = try windows(of: path)
    #expect(!before.isEmpty)
    #expect(before.allSatisfy { $0.cells.isEmpty })
    let sums = try StoreReader(path: path).modes(loop: 1).map { "\($0.name) \($0.iterations) \($0.metrics.count)" }
    try Sample.write([], to: path)
    #expect(try StoreReader(path: path).access.version == Schema.version)
    #expect(try windows(of: path) == before)
    #expect(
      try StoreReader(path: path).modes(loop: 1).map { "\($0.name) \($0.iterations) \($0.metrics.count)" } == sums)
  }

  private func windows(of path: String) throws -> [StoredWindow] {
    var windows: [StoredWindow] = []
    try StoreReader(path: path).forEachWindow(session: 1) { windows.append($0) }
    return windows
  }
}
