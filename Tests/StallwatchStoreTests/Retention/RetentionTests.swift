import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Limits of age and size")
struct RetentionTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }
  private let start = Sample.session().startedAt

  /// Makes a session of four minutes that is over, with `stalls` stalls.
  private func writeSession(stalls: UInt64 = 0) throws {
    let aging = try AgingWriter(path)
    try aging.write(minutes: 0..<4)
    for stall in 0..<stalls { try aging.writeStall(stall + 1, at: (stall + 1) * .second / 8, samples: 8) }
    try aging.writer.finish(endedNs: Sample.start + 240 * .second, trouble: nil)
  }

  private func isSound(_ connection: Connection) throws -> Bool {
    let orphans = try connection.firstText("SELECT \"table\" FROM pragma_foreign_key_check")
    return try connection.firstText("PRAGMA quick_check") == "ok" && orphans == nil
  }

  @Test("a session goes as a whole when its last sign of life is too old, but never one that runs")
  func age() throws {
    try writeSession(stalls: 3)
    let running = try AgingWriter(path)
    let aging = try AgingWriter(path, limits: RetentionLimits(maximumAge: AgingWriter.day, maximumSize: nil))
    try aging.tend(at: 1 * .second, wallNow: start + AgingWriter.day)
    #expect(try aging.number("SELECT count(*) FROM sessions") == 3)
    try aging.tend(at: 2 * .second, wallNow: start + AgingWriter.day + 241 * .second)
    #expect(try aging.number("SELECT count(*) FROM sessions") == 2)
    for table in ["stalls", "samples", "stacks", "time_windows"] {
      #expect(try aging.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    let removals = try StoreReader(path: path).removals()
    #expect(removals == [Removed(session: nil, what: .sessions, reason: .age, count: 1, until: nil)])
    #expect(try isSound(aging.writer.connection))
    try running.writer.write([])
  }

  @Test("a store that is too large loses the oldest samples first, and says so")
  func samplesFirst() throws {
    let aging = try AgingWriter(path)
    try aging.write(minutes: 0..<4)
    for stall in 0..<400 as Range<UInt64> { try aging.writeStall(stall + 1, at: stall * .second / 2, samples: 16) }
    let used = try StoreSize(aging.writer.connection).used()
    let limit = used - used / 4
    let tending = try StoreTending(
      aging.writer.connection, limits: RetentionLimits(maximumAge: nil, maximumSize: limit), own: (1, Sample.start))
    try tending.begin(ownNow: Sample.start + 2 * AgingWriter.hour, wallNow: 0)
    while try tending.step() {}
    #expect(try StoreSize(aging.writer.connection).used() <= limit - limit / 16)
    #expect(try aging.number("SELECT count(*) FROM stalls") == 400)
    let kept = try aging.number("SELECT count(DISTINCT stall) FROM samples")
    #expect(kept > 0 && kept < 400)
    #expect(try aging.number("SELECT min(stall) FROM samples") == 400 - kept + 1)
    let removed = try #require(
      try StoreReader(path: path).removals().first { $0.what == .samples && $0.reason == .size })
    #expect(removed.session == 1 && removed.count == (400 - kept) * 16)
    #expect(try aging.number("SELECT count(*) FROM stacks") == kept * 16)
    #expect(try isSound(aging.writer.connection))
  }

  @Test("ticks, and cells around stalls, go before any sample")
  func samplesLast() throws {
    let aging = try AgingWriter(path)
    try aging.write(minutes: 0..<60)
    for stall in 0..<360 as Range<UInt64> { try aging.writeStall(stall + 1, at: stall * 10 * .second, samples: 2) }
    // More late ticks than a writer keeps of such a time.
    try aging.writer.connection.run(
      """
      WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < 4999)
      INSERT INTO ticks (session, number, loop, due_ns, run_loop_lateness_ns, gcd_lateness_ns, in_other_modes_ns,
          machine_ns)
        SELECT 1, number, 1, \(Sample.start) + number * 500000000, 2000000, 1, 0, 1 FROM numbers
      """)
    let end = Sample.start + 3 * AgingWriter.hour
    let tend = { (limit: Int64) throws in
      let tending = try StoreTending(
        aging.writer.connection, limits: RetentionLimits(maximumAge: nil, maximumSize: limit), own: (1, Sample.start))
      try tending.begin(ownNow: end, wallNow: 0)
      while try tending.step() {}
    }
    let size = try StoreSize(aging.writer.connection)
    try tend(try size.used() - 1)
    let ticks = try aging.number("SELECT count(*) FROM ticks")
    #expect(ticks < 5_000)
    #expect(try aging.number("SELECT ifnull(min(number), 5000) FROM ticks") == 5_000 - ticks)
    #expect(try aging.number("SELECT count(*) FROM time_windows WHERE cell_ns = 250000000") > 100)
    // Without ticks the cells around stalls are next.
    try aging.writer.connection.run("DELETE FROM ticks")
    try tend(try size.used() - 1)
    #expect(try aging.number("SELECT count(*) FROM time_windows WHERE cell_ns = 250000000") < 100)
    #expect(try aging.number("SELECT count(*) FROM samples") == 720)
  }

  @Test("sessions that are over go before the one being written loses stalls")
  func sessionsBeforeStalls() throws {
    for _ in 0..<3 { try writeSession(stalls: 40) }
    let aging = try AgingWriter(path)
    for stall in 0..<50 as Range<UInt64> { try aging.writeStall(stall + 1, at: stall * .second) }
    let all = try StoreSize(aging.writer.connection).used()
    let tending = try StoreTending(
      aging.writer.connection, limits: RetentionLimits(maximumAge: nil, maximumSize: all / 4),
      own: (4, Sample.start))
    try tending.begin(ownNow: Sample.start + 60 * .second, wallNow: start)
    var steps = 0
    while try tending.step(), try aging.number("SELECT count(*) FROM sessions") > 1 {
      #expect(try aging.number("SELECT count(*) FROM stalls WHERE session = 4") == 50)
      steps += 1
    }
    #expect(steps > 3)
    while try tending.step() {}
    #expect(try aging.number("SELECT count(*) FROM sessions") == 1)
    #expect(try isSound(aging.writer.connection))
  }

  @Test("the session being written loses grain and windows of its last hour before it loses a stall")
  func lastHour() throws {
    let aging = try AgingWriter(path, limits: RetentionLimits(maximumAge: nil, maximumSize: 300_000))
    try aging.write(minutes: 0..<58)
    for number in 1...20 as ClosedRange<UInt64> { try aging.writeStall(number, at: number * 100 * .second, samples: 4) }
    let before = try aging.sums()
    try aging.tend(at: 3_500 * .second)
    #expect(try aging.number("SELECT count(*) FROM stalls") == 20)
    #expect(try aging.sums() == before)
    #expect(try aging.number("SELECT sum(cells IS NULL) FROM time_windows") > 0)
    #expect(try StoreSize(aging.writer.connection).used() <= 300_000)
  }

  @Test("a writer goes on with stacks that were removed under it")
  func forgottenStacks() throws {
    let aging = try AgingWriter(path, limits: RetentionLimits(maximumAge: nil, maximumSize: 1))
    try aging.writeStall(1, at: 1 * .second, samples: 4)
    try aging.tend(at: 2 * AgingWriter.hour)
    #expect(try aging.number("SELECT count(*) FROM stacks") == 0)
    try aging.writer.write([
      Sample.began(2, at: 2 * AgingWriter.hour),
      Sample.samples(2, [Sample.sample(at: 2 * AgingWriter.hour + 1, .running, [1_000, 1, 2])]),
    ])
    #expect(try aging.number("SELECT count(*) FROM samples") == 1)
    try aging.tend(at: 9 * AgingWriter.hour)
    #expect(try aging.number("SELECT count(*) FROM stalls WHERE state = 'began'") == 1, "a stall that goes on stays")
  }

  @Test("every cascade finds its rows by an index")
  func cascades() throws {
    let aging = try AgingWriter(path)
    let connection = aging.writer.connection
    let keys = try connection.prepare(
      """
      SELECT tables.name, keys."from" FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name) AS keys
      WHERE tables.type = 'table'
      """)
    var count = 0
    while try keys.step() {
      var row = keys.row
      let (table, column) = (try row.text(), try row.text())
      let plan = try connection.prepare("EXPLAIN QUERY PLAN DELETE FROM \(table) WHERE \(column) = ?1")
      while try plan.step() {
        var columns = plan.row
        for _ in 0..<3 { _ = try columns.integerIfAny() }
        let detail = try columns.text()
        #expect(detail.hasPrefix("SEARCH"), "\(table).\(column): \(detail)")
      }
      count += 1
    }
    #expect(count > 20)
  }

  @Test("a recorder's thread tends the store after its opening")
  func recorder() throws {
    try writeSession(stalls: 2)
    var configuration = StoreRecorder.Configuration.patient
    // The session of the past is older than any clock of a machine that runs this says.
    configuration.retention = RetentionLimits(maximumAge: AgingWriter.day, maximumSize: nil)
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: configuration)
    defer { recorder.close(endedNs: Sample.start + 1) }
    try waitUntil { try StoreReader(path: path).sessions().map(\.id) == [2] }
  }

  private func waitUntil(_ condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !condition() {
      guard ContinuousClock.now < deadline else {
        Issue.record("did not happen within a minute")
        return
      }
      usleep(10_000)
    }
  }
}
