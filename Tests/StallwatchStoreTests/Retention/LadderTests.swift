import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Windows of time grow coarser with age")
struct LadderTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  /// Busy, waiting and outside time and iterations, summed over the finest pieces that a reader finds.
  private func cells() throws -> [Int64] {
    var sums = [0, 0, 0, 0] as [UInt64]
    try StoreReader(path: path).forEachWindow(session: 1) { window in
      for piece in window.pieces {
        for (place, part) in [piece.busy, piece.waiting, piece.outside, piece.iterations].enumerated() {
          sums[place] += part
        }
      }
    }
    return sums.map { Int64($0) }
  }

  @Test("cells of a quarter second after an hour become cells of one second, and no sum changes")
  func hour() throws {
    let aging = try AgingWriter(path)
    try aging.write(minutes: 0..<10)
    let before = try aging.sums()
    try aging.tend(at: AgingWriter.hour + 300 * .second)
    #expect(try aging.sums() == before)
    #expect(try aging.number("SELECT count(*) FROM time_windows WHERE cell_ns = 1000000000") == 5)
    #expect(try aging.number("SELECT count(*) FROM time_windows WHERE cell_ns = 250000000") == 25)
    #expect(try aging.number("SELECT count(*) FROM time_windows WHERE length(cells) = 60 * 13") == 5)
    #expect(try cells() == Array(before.prefix(4)))
    // A second step finds nothing to do.
    try aging.writer.beginTending(wallNow: 0)
    #expect(try !aging.writer.tend())
  }

  @Test("a day makes four seconds of them, and a week whole windows without cells")
  func dayAndWeek() throws {
    let aging = try AgingWriter(path)
    try aging.write(minutes: 0..<12)
    let before = try aging.sums()
    try aging.tend(at: 2 * AgingWriter.day)
    #expect(try aging.sums() == before)
    #expect(try aging.number("SELECT count(*) FROM time_windows") == 3)
    #expect(try aging.number("SELECT sum(cell_ns = 4000000000 AND length_ns = 240000000000) FROM time_windows") == 3)
    #expect(try cells() == Array(before.prefix(4)))
    try aging.tend(at: 8 * AgingWriter.day)
    #expect(try aging.sums() == before)
    #expect(try aging.number("SELECT sum(cells IS NULL AND length_ns = 240000000000) FROM time_windows") == 3)
    let noted = try aging.number("SELECT count FROM removals WHERE what = 'cells' AND reason = 'age'")
    #expect(noted > 0)
  }

  @Test("around a stall they stay as they were, until it is gone")
  func neighbourhood() throws {
    let aging = try AgingWriter(path)
    try aging.write(minutes: 0..<12)
    // 12 s windows: it touches the one from 60 s and, 5 s before, the one from 48 s.
    try aging.writeStall(1, at: 63 * .second)
    try aging.writer.write([
      Sample.began(2, at: 400 * .second), Sample.ended(2, duration: 1, state: .cancelled, reason: "stopped"),
    ])
    let before = try aging.sums()
    try aging.tend(at: 8 * AgingWriter.day)
    #expect(try aging.sums() == before)
    let fine = "(started_ns - \(Sample.start)) / 1000000000) FROM time_windows WHERE cell_ns = 250000000"
    #expect(try aging.writer.connection.firstText("SELECT group_concat(\(fine)") == "48,60")
    #expect(try aging.number("SELECT count(*) FROM time_windows") == 5)
    // Another writer, which begins at the session's start again, brings the rest down once the stall is gone.
    try aging.writer.connection.run("DELETE FROM stalls")
    let other = try StoreTending(
      aging.writer.connection, limits: RetentionLimits(maximumAge: nil, maximumSize: nil), own: (1, Sample.start))
    try other.begin(ownNow: Sample.start + 8 * AgingWriter.day, wallNow: 0)
    while try other.step() {}
    #expect(try aging.sums() == before)
    #expect(try aging.number("SELECT count(*) FROM time_windows") == 3)
  }

  @Test("windows without cells stay as they are while others have cells")
  func even() throws {
    let aging = try AgingWriter(path)
    try aging.writer.write([
      .profile(
        ProfileDelta(
          loop: Sample.main, mode: 0, atNs: Sample.start + 100 * .second, entries: 0, iterations: 0, starved: 0,
          metrics: [],
          stretches: [
            ModeStretch(
              startNs: Sample.start + 15 * .second, endNs: Sample.start + 90 * .second, waiting: 75 * .second)
          ]))
    ])
    let rows = "SELECT group_concat(started_ns || ' ' || length_ns) FROM time_windows"
    let before = try aging.writer.connection.firstText(rows)
    try aging.tend(at: 2 * AgingWriter.day)
    #expect(try aging.writer.connection.firstText(rows) == before)
  }

  @Test("histograms become those of ten minutes, and then of an hour, and count every duration")
  func metrics() throws {
    let aging = try AgingWriter(path)
    try aging.write(minutes: 0..<30)
    let spans = { () throws -> StoredMetric in
      let modes = try SessionModes(1, live: nil, in: aging.writer.connection, version: Schema.version)
      return try #require(modes.modes(of: 1).first?.metrics[.span])
    }
    let before = try spans()
    for (age, rows) in [(2 * AgingWriter.day, 3), (8 * AgingWriter.day, 1)] as [(Nanoseconds, Int64)] {
      try aging.tend(at: age)
      let after = try spans()
      #expect(after.count == before.count && after.total == before.total && after.maximum == before.maximum)
      #expect(after.histogram == before.histogram)
      #expect(try aging.number("SELECT count(*) FROM metric_windows") == rows)
    }
  }

  @Test("sessions that are over age by the wall clock, and others that run are left to their writers")
  func otherSessions() throws {
    do {
      let aging = try AgingWriter(path)
      try aging.write(minutes: 0..<4)
      try aging.writer.finish(endedNs: Sample.start + 240 * .second, trouble: nil)
    }
    let running = try AgingWriter(path)
    try running.write(minutes: 0..<4)
    let aging = try AgingWriter(path)
    try aging.tend(at: 60 * .second, wallNow: Sample.session().startedAt + 2 * AgingWriter.day)
    let cells = "SELECT group_concat(DISTINCT cell_ns) FROM time_windows WHERE session = "
    #expect(try aging.writer.connection.firstText(cells + "1") == "4000000000")
    #expect(try aging.writer.connection.firstText(cells + "2") == "250000000")
  }
}
