import CSQLite
import Foundation
import SeededNumbers
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("A hostile store")
struct HostileStoreTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  private func write() throws {
    try Sample.write(
      [
        .image(Sample.image), Sample.loop(), Sample.mode(), Sample.began(1, at: 0, annotations: ["a": "b"]),
        Sample.samples(
          1, [Sample.sample(at: 1), Sample.sample(at: 2, .blocked, on: Sample.lock)],
          cause: StallCause(running: 1, blocked: 2, starved: 3)),
        .profiledStack(ProfiledStack(loop: Sample.main, frames: [1, 2, .max], count: 1, weight: 2)),
        Sample.ended(1, duration: 60 * .millisecond), Sample.began(2, at: 1), Sample.ended(2, duration: 3 * .second),
        Sample.profile(at: 0, [Sample.growth(.span, [60 * .millisecond])]),
        Sample.health(at: 1, lateness: Sample.growth(.span, [5])),
        .loss(LossRecord(what: "spans", loop: Sample.main, count: 1)),
        .interval(IntervalRecord(kind: .blind, loop: nil, startedNs: 1, endedNs: 2, duration: 1, reason: "new-mode")),
      ] + timers, to: path)
  }

  /// A timer that a mode and a stall hurt, and ticks of the drift probe.
  private var timers: [Record] {
    let timer = TimerID(rawValue: 1)
    var delta = TimerDelta(timer: timer, atNs: Sample.start + 5)
    (delta.fired, delta.dropped, delta.droppedByMode) = (3, 2, [(0, 2)])
    delta.lateness = Sample.growth(.span, [5, 900])
    delta.worst = (900, Sample.start + 4)
    return [
      .timer(
        TimerRecord(
          id: timer, loop: Sample.main, name: "poll", kind: .runLoop, origin: 1, interval: 5, tolerance: 0,
          modes: ["a"],
          madeNs: Sample.start)),
      .timerDelta(delta),
      .timer(
        TimerRecord(
          id: TimerID(rawValue: 2), loop: nil, name: nil, kind: .mainQueue, origin: .max, interval: 0, tolerance: 0,
          modes: [], madeNs: Sample.start)),
      .stallTimer(StallTimer(stall: StallID(rawValue: 1), timer: timer, late: 1, dropped: 2, worstLateness: 900)),
      .driftTick(
        DriftTick(
          loop: Sample.main, number: 0, dueNs: Sample.start, runLoopLateness: 7_000_000, gcdLateness: nil,
          inOtherModes: 1)),
      .driftTick(
        DriftTick(
          loop: Sample.main, number: 1, dueNs: Sample.start + 1, runLoopLateness: 7, gcdLateness: 9, inOtherModes: 1)),
    ]
  }

  /// Changes the store as a person with a hex editor could: without constraints, types or defences.
  private func tamper(_ sql: String, accepting accepted: Int32 = SQLITE_OK) throws {
    var database: OpaquePointer?
    #expect(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close_v2(database) }
    let status = sqlite3_exec(database, sql, nil, nil, nil)
    #expect([SQLITE_OK, accepted].contains(status), "\(String(cString: sqlite3_errmsg(database)))")
  }

  /// Changes a table as if it had neither types nor constraints, and leaves the schema as it was. A row's own number stays
  /// a number even then.
  private func tamper(untyped table: String, _ sql: String) throws {
    let definition = try #require(
      try ReadAccess(path: path).connection.firstText("SELECT sql FROM sqlite_schema WHERE name = '\(table)'"))
    func define(_ sql: String) throws {
      let text = sql.replacingOccurrences(of: "'", with: "''")
      try tamper("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '\(text)' WHERE name = '\(table)'")
    }
    try define(
      definition.replacingOccurrences(of: ") STRICT, ", with: ") ").replacingOccurrences(of: ") STRICT", with: ")")
        .replacingOccurrences(of: " NOT NULL", with: ""))
    try tamper(sql, accepting: SQLITE_MISMATCH)
    try define(definition)
  }

  /// Asks everything, also of rows that are not there.
  private func readAll() throws {
    let reader = try StoreReader(path: path)
    for session in try reader.sessions() {
      _ = session.duration
      try reader.forEachWindow(session: session.id) { _ = $0.pieces.reduce(0) { $0 &+ Int(clamping: $1.busy) } }
      for loop in try reader.loops(session: session.id) {
        _ = try reader.profile(loop: loop.id).reduce(0) { $0 + $1.weight + $1.count }
        for mode in try reader.modes(loop: loop.id) {
          for metric in mode.metrics.values {
            _ = metric.histogram.value(atPercentile: 99)
          }
        }
      }
      _ = try reader.health(session: session.id)
      for timer in try reader.timers(session: session.id) {
        _ = (timer.due, timer.lateness?.histogram.value(atPercentile: 99))
      }
      try reader.forEachTick(session: session.id) { _ = ($0.tick.runLoopLateness, $0.machine) }
      try reader.forEachTickWindow(session: session.id) { _ = ($1.dropped, $1.drift.count, $1.pieces.count) }
      try reader.forEachTimerWindow(session: session.id) { _ = $1.lateness.histogram.value(atPercentile: 99) }
      for image in try reader.images(session: session.id) { _ = image.end - image.start }
    }
    _ = try reader.stallTotals()
    _ = try reader.worstStalls(limit: .max)
    try reader.forEachStall { _ = ($0.severity, $0.detectedAfter, $0.cause?.watched) }
    try reader.forEachSampledStall { _ = ($0.cause, $1.reduce(0) { $0 + $1.weight }) }
    try reader.forEachBriefStall { _ = try ($0.cause, $1.map { try reader.frames(stack: $0.look.stack) }) }
    for session in try reader.sessions() { try reader.forEachHold(session: session.id) { _ = ($0, $1, $2) } }
    for id in 0..<4 as Range<Int64> {
      _ = (try reader.samples(stall: id), try reader.cause(stall: id)?.watched, try reader.timers(stall: id))
    }
  }

  @Test(
    "with figures out of range is reported as damaged",
    arguments: [
      "UPDATE stalls SET duration_ns = -1", "UPDATE stalls SET number = -1 WHERE id = 1",
      "UPDATE stalls SET state = 'x'",
      "UPDATE stalls SET phase = ''", "UPDATE stalls SET severity = NULL", "UPDATE stalls SET annotations = '{'",
      "UPDATE stalls SET annotations = '[1]'", "UPDATE stalls SET annotations = '{\"a\":1}'",
      "UPDATE stalls SET depth = -9223372036854775808", "UPDATE sessions SET pid = 99999999999",
      "UPDATE sessions SET command = '[1,2]'", "UPDATE sessions SET command = 'x'",
      "UPDATE sessions SET ended = 'later'", "UPDATE sessions SET started_ns = -5",
      "UPDATE sessions SET command = CAST(x'ff' AS TEXT)", "UPDATE loops SET number = 4294967296",
      "UPDATE loops SET name = CAST(x'c328' AS TEXT)", "UPDATE modes SET attached_ns = -1",
      "UPDATE time_windows SET entries = -1", "UPDATE metric_windows SET metric = 'speed'",
      "UPDATE time_windows SET length_ns = -1", "UPDATE time_windows SET busy_ns = -1",
      "UPDATE time_windows SET cells = x'00'", "UPDATE time_windows SET cell_ns = 0",
      "UPDATE time_windows SET cell_ns = 9223372036854775807", "UPDATE time_windows SET cells = zeroblob(100000)",
      "UPDATE metric_windows SET histogram = x'00'", "UPDATE metric_windows SET histogram = zeroblob(60)",
      "UPDATE metric_windows SET histogram = randomblob(100000)", "UPDATE metric_windows SET count = -7",
      "UPDATE losses SET count = -1", "UPDATE intervals SET kind = 'y'", "UPDATE health SET wakeups = -1",
      "UPDATE health SET lateness_histogram = x'1c84'", "UPDATE health SET lateness_count = NULL",
      "PRAGMA foreign_keys = OFF; DELETE FROM modes", "PRAGMA foreign_keys = OFF; DELETE FROM loops",
      "PRAGMA foreign_keys = OFF; DELETE FROM sessions; UPDATE stalls SET session = 77",
      "UPDATE stalls SET running_ns = -1", "UPDATE stalls SET starved_ns = 9223372036854775807",
      "UPDATE stalls SET blocked_ns = NULL WHERE id = 1", "UPDATE stalls SET blocked_ns = 3 WHERE id = 2",
      "UPDATE samples SET weight_ns = 9223372036854775807", "UPDATE samples SET at_ns = -1",
      "UPDATE samples SET activity = 'asleep'", "UPDATE samples SET owner_name = NULL",
      "UPDATE samples SET owner_stack = NULL", "UPDATE samples SET owner_thread_id = -1",
      "UPDATE samples SET blocked_on = CAST(x'ff' AS TEXT)", "UPDATE samples SET target = printf('%5000d', 1)",
      "PRAGMA foreign_keys = OFF; UPDATE samples SET stack = 99",
      "PRAGMA foreign_keys = OFF; UPDATE samples SET owner_stack = 99", "PRAGMA foreign_keys = OFF; DELETE FROM stacks",
      "UPDATE stacks SET frames = x'80'", "UPDATE stacks SET frames = zeroblob(1025)",
      "UPDATE stacks SET frames = zeroblob(10000000)", "UPDATE profile_stacks SET count = -1",
      "INSERT INTO profile_stacks SELECT 1, id, 1, 9223372036854775807 FROM stacks WHERE true ON CONFLICT DO NOTHING",
      "WITH RECURSIVE n (i) AS (SELECT 2 UNION SELECT i + 1 FROM n WHERE i < 64) "
        + "INSERT INTO samples (stall, number, at_ns, weight_ns, activity, stack) "
        + "SELECT 1, i, 0, 0, 'running', 1 FROM n",
      "UPDATE timers SET number = -1 WHERE number = 1", "UPDATE timers SET kind = 'alarm'",
      "UPDATE timers SET modes = '{'",
      "UPDATE timers SET modes = '[1]'", "UPDATE timers SET fired = -1", "UPDATE timers SET interval_ns = -1",
      "UPDATE timers SET name = CAST(x'ff' AS TEXT)", "UPDATE timers SET name = printf('%5000d', 1)",
      "UPDATE timers SET lateness_histogram = x'1c84'", "UPDATE timers SET lateness_count = -1",
      "UPDATE timers SET worst_at_ns = -1", "UPDATE timer_drops SET count = -1",
      "UPDATE stall_timers SET late = -1", "UPDATE stall_timers SET worst_lateness_ns = -1",
      "UPDATE ticks SET number = -1", "UPDATE ticks SET run_loop_lateness_ns = -1",
      "UPDATE ticks SET in_other_modes_ns = -1", "UPDATE health SET drift_wakeups = -1", "DROP TABLE timers",
      "UPDATE ticks SET machine_ns = -1", "UPDATE tick_windows SET ticks = -1", "UPDATE tick_windows SET cell_ns = 0",
      "UPDATE tick_windows SET cells = x'00'", "UPDATE tick_windows SET cells = zeroblob(100000)",
      "UPDATE tick_windows SET run_loop_histogram = NULL", "UPDATE tick_windows SET gcd_histogram = x'1c84'",
      "UPDATE tick_windows SET drift_below_histogram = x'1c84'", "UPDATE tick_windows SET drift_max_ns = NULL",
      "UPDATE tick_windows SET steps_squared = -1", "UPDATE tick_windows SET length_ns = -1",
      "UPDATE tick_windows SET loop = -1", "UPDATE timer_windows SET dropped = -1",
      "UPDATE timer_windows SET histogram = NULL", "UPDATE timer_windows SET lateness_max_ns = -1",
      "DROP TABLE tick_windows", "DROP TABLE timer_windows",
      "DROP TABLE ticks", "UPDATE images SET end_address = 5", "UPDATE images SET start_address = -1",
      "UPDATE images SET build_id = '../x'",
      "UPDATE images SET path = printf('%5000d', 1)", "DROP TABLE samples", "DROP TABLE images",
      "DROP TABLE losses", "DROP TABLE stalls", "UPDATE sessions SET id = 9223372036854775807",
      "UPDATE loops SET id = 9007199254740993",
    ])
  func badFigures(sql: String) throws {
    try write()
    try tamper(sql)
    #expect(throws: StoreError.self) { try readAll() }
  }

  @Test("with values of other types is reported as damaged", arguments: Schema.tables)
  func otherTypes(table: String) throws {
    try write()
    try readAll()
    let columns = try ReadAccess(path: path).connection.firstText(
      "SELECT group_concat(name) FROM pragma_table_info('\(table)')")!.split(separator: ",")
    let original = try #require(FileManager.default.contents(atPath: path))
    for column in columns {
      for value in ["'text'", "x'00ff'", "NULL", "-9223372036854775808", "9223372036854775807"] {
        try original.write(to: URL(fileURLWithPath: path))
        try tamper(
          untyped: table, "UPDATE OR IGNORE \(table) SET \(column) = \(value)")
        // Some of these are fine values: what matters is that nothing but an error comes of the others.
        do { try readAll() } catch is StoreError {}
      }
    }
  }

  @Test("whose sums pass all bounds is read or refused, without a trap")
  func sums() throws {
    try write()
    try tamper(
      """
      UPDATE stalls SET duration_ns = 9223372036854775807; UPDATE time_windows SET entries = 9223372036854775807;
      INSERT INTO time_windows
        SELECT session, started_ns, mode, number + n, length_ns, entries, iterations, starved_ns, busy_ns, waiting_ns,
          outside_ns, longest_ns, cell_ns, cells FROM time_windows, (SELECT 1001 AS n UNION SELECT 2001);
      UPDATE losses SET count = 9223372036854775807;
      INSERT INTO losses (session, loop, what, count) SELECT session, NULL, what, count FROM losses;
      """)
    let reader = try StoreReader(path: path)
    #expect(try reader.modes(loop: 1).first?.entries == .max)
    #expect(try reader.health(session: 1).losses["spans"] == .max - 1)
    #expect(try reader.worstStalls(limit: 1).first?.duration == UInt64(Int64.max))
    try tamper("UPDATE stalls SET state = 'ended', severity = 'long'")
    try readAll()
    #expect(try StoreReader(path: path).stallTotals().first?.total == UInt64(Int64.max) * 2)
  }

  @Test("cannot bring its own views or virtual tables into play")
  func views() throws {
    try write()
    try tamper(
      "PRAGMA legacy_alter_table = ON; ALTER TABLE losses RENAME TO real_losses; "
        + "CREATE VIEW losses AS SELECT * FROM real_losses")
    #expect(throws: StoreError.altered(path: path, detail: "the table real_losses was added")) {
      try StoreReader(path: path)
    }
  }

  @Test(
    "whose schema is not the migrations' is refused, by readers and writers, and left as it is",
    arguments: [
      ("CREATE TRIGGER evil AFTER INSERT ON loops BEGIN DELETE FROM stalls; END", "the trigger evil was added"),
      (
        "ALTER TABLE loops ADD COLUMN bomb TEXT AS (hex(zeroblob(4000000)))", "the table loops was changed"
      ),
      ("DROP INDEX stalls_by_sort", "the index stalls_by_sort is missing"),
      ("CREATE INDEX more ON loops (name)", "the index more was added"),
      ("DROP VIEW stall_list; CREATE VIEW stall_list AS SELECT 1", "the view stall_list was changed"),
      ("DROP VIEW timer_list; DROP VIEW drift_by_minute; DROP TABLE ticks", "the table ticks is missing"),
      ("CREATE TABLE \"a\u{1b}[31mb\" (x)", "the table a?[31mb was added"),
      (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'modes'",
        "the table modes was changed"
      ),
      (
        """
        PRAGMA writable_schema = ON; UPDATE sqlite_schema
          SET sql = replace(sql, 'UNIQUE (loop, number)', '/***/ evil INTEGER, /* */ UNIQUE (loop, number)')
          WHERE name = 'modes'
        """,
        "the table modes was changed"
      ),
      (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name IN ('modes', 'loops')",
        "the table modes occurs twice"
      ),
    ])
  func foreignSchema(sql: String, difference: String) throws {
    try write()
    try tamper(sql)
    let before = folder.contents
    let error = StoreError.altered(path: path, detail: difference)
    #expect(throws: error) { try StoreReader(path: path) }
    #expect(throws: error) { try StoreRecorder(path: path, session: Sample.session()) }
    #expect(throws: error) { try StoreMerger(into: path) }
    #expect(folder.contents == before)
  }

  @Test("of an older version is held to that version's schema")
  func olderSchema() throws {
    try write()
    try tamper("PRAGMA user_version = 3")
    #expect(throws: StoreError.self) { try StoreReader(path: path) }
    try tamper("PRAGMA user_version = 0")
    #expect(throws: StoreError.self) { try StoreReader(path: path) }
    try tamper("PRAGMA user_version = -4")
    #expect(throws: StoreError.self) { try StoreReader(path: path) }
  }

  @Test("in which two sessions have one number is refused")
  func oneNumberTwice() throws {
    let process = Sample.session()
    try Sample.write([Sample.loop()], to: path, session: process)
    try Sample.write([Sample.loop()], to: path, session: process)
    // In the leaf of the table `sessions` the second row's number follows its length, one byte each.
    let page = try #require(
      try ReadAccess(path: path).connection.firstInteger(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'"))
    var bytes = try #require(FileManager.default.contents(atPath: path))
    let start = Int(page - 1) * 4_096
    let cell = start + Int(bytes[start + 10]) << 8 + Int(bytes[start + 11])
    // A length of 128 or more takes two bytes.
    let number = bytes[cell] < 0x80 ? cell + 1 : cell + 2
    try #require(bytes[number] == 2)
    bytes[number] = 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.self) { try readAll() }
  }

  @Test("with any bytes changed is read or refused, without a trap")
  func changedBytes() throws {
    try write()
    let original = try #require(FileManager.default.contents(atPath: path))
    var generator = RandomNumbers(seed: 5)
    for _ in 0..<200 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      do { try readAll() } catch is StoreError {}
    }
    #expect(Array(folder.contents.keys) == ["store.db"])
  }

  @Test("whose log has any bytes changed is read or refused, without a trap")
  func changedLog() throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    for record in [Sample.loop(), Sample.mode(), Sample.began(1, at: 0), Sample.health(at: 1)] { recorder.take(record) }
    #expect(recorder.flush(timeout: 30 * .second))
    let (store, log) = (folder.contents["store.db"]!, folder.contents["store.db-wal"]!)
    recorder.close(endedNs: Sample.start)
    var generator = RandomNumbers(seed: 6)
    for _ in 0..<50 {
      var bytes = log
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      try store.write(to: URL(fileURLWithPath: path))
      try bytes.write(to: URL(fileURLWithPath: path + "-wal"))
      do { try readAll() } catch is StoreError {}
      #expect(folder.contents["store.db"] == store)
      #expect(folder.contents["store.db-wal"] == bytes)
    }
  }
}
