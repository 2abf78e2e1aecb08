import CSQLite
import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("The schema")
struct SchemaTests {
  let folder = TemporaryFolder()

  private func connection(_ name: String = "store.db") throws -> Connection {
    let path = try StorePath.forWriting(folder.file(name), creating: true)
    return try Connection(name: path, flags: SQLITE_OPEN_READWRITE)
  }

  private func schema(of connection: Connection) throws -> [String] {
    let statement = try connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    var lines: [String] = []
    while try statement.step() {
      var row = statement.row
      lines.append(try row.text())
    }
    return lines
  }

  @Test("marks its file as a store of its version")
  func marks() throws {
    let connection = try connection()
    #expect(try Schema.migrate(connection))
    #expect(try connection.firstInteger("PRAGMA application_id") == 0x5374_6c77)
    #expect(try connection.firstInteger("PRAGMA user_version") == Int64(Schema.version))
  }

  @Test("is a list of steps with ascending versions")
  func ascending() {
    #expect(Schema.migrations.map(\.version) == Array(1...Schema.migrations.count))
  }

  @Test("has only strict tables, and the tables that a reader asks for")
  func strictTables() throws {
    let connection = try connection()
    #expect(try Schema.migrate(connection))
    let statement = try connection.prepare(
      "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    var names: Set<String> = []
    while try statement.step() {
      var row = statement.row
      names.insert(try row.text())
      #expect(try row.number(Int.self) == 1)
    }
    #expect(names == Set(Schema.tables))
  }

  @Test("brings older stores up to date, step by step, and keeps their rows")
  func olderStores() throws {
    let list = [
      Migration(version: 1, sql: "CREATE TABLE a (x INTEGER) STRICT"),
      Migration(version: 2, sql: "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1"),
      Migration(version: 3, sql: "CREATE TABLE b (z INTEGER) STRICT; INSERT INTO b SELECT y + 1 FROM a"),
    ]
    for present in 1...3 {
      let connection = try connection("\(present).db")
      #expect(try Schema.migrate(connection, by: Array(list.prefix(1))))
      try connection.run("INSERT INTO a VALUES (1)")
      #expect(try Schema.migrate(connection, by: Array(list.prefix(present))))
      #expect(try connection.firstInteger("PRAGMA user_version") == Int64(present))
      #expect(try Schema.migrate(connection, by: list))
      #expect(try connection.firstInteger("PRAGMA user_version") == 3)
      #expect(try connection.firstInteger("SELECT z FROM b") == 3)
    }
  }

  @Test("changes nothing when a step fails")
  func failingStep() throws {
    let connection = try connection()
    let list = [
      Migration(version: 1, sql: "CREATE TABLE a (x INTEGER) STRICT"),
      Migration(version: 2, sql: "INSERT INTO nowhere VALUES (1)"),
    ]
    #expect(try Schema.migrate(connection, by: Array(list.prefix(1))))
    #expect(throws: SQLiteFailure.self) { try Schema.migrate(connection, by: list) }
    #expect(try connection.firstInteger("PRAGMA user_version") == 1)
    #expect(try schema(of: connection) == ["CREATE TABLE a (x INTEGER) STRICT"])
  }

  @Test("of a new store is, to the letter, what the steps make one after the other")
  func freshSchema() throws {
    for version in 1...Schema.version {
      let fresh = try connection("made-\(version).db")
      let stepped = try connection("stepped-\(version).db")
      let steps = Array(Schema.migrations.prefix(version))
      #expect(try Schema.migrate(fresh, by: steps))
      for step in steps { try stepped.run(step.sql) }
      #expect(try schema(of: fresh) == schema(of: stepped))
      // Rows that a step made would be in no new store.
      for table in Schema.tables(of: version) {
        #expect(try stepped.firstInteger("SELECT count(*) FROM \(table)") == 0)
      }
    }
  }

  @Test("is known without a database as SQLite lists it, with the indexes that keys make")
  func definitions() throws {
    for version in 1...Schema.version {
      let stepped = try connection("stepped-\(version).db")
      for step in Schema.migrations.prefix(version) { try stepped.run(step.sql) }
      let (found, expected) = (try SchemaDefinition(of: stepped), try #require(Schema.definition(of: version)))
      #expect(found.difference(from: expected) == nil)
      #expect(expected.difference(from: found) == nil)
    }
    #expect(Schema.definition(of: Schema.version + 1) == nil)
  }

  @Test(
    "counts the indexes that SQLite makes for a table's keys",
    arguments: [
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT", "CREATE TABLE t (a TEXT, PRIMARY KEY (a)) STRICT",
      "CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID",
      "CREATE TABLE t (a TEXT, b TEXT, UNIQUE (a, b), UNIQUE (b), PRIMARY KEY (a)) STRICT",
      "CREATE TABLE t (a TEXT CHECK (a IN ('UNIQUE', 'b')), UNIQUE (a)) STRICT",
    ])
  func keyIndexes(statement: String) throws {
    let connection = try connection()
    try connection.run(statement)
    let made = try connection.firstInteger("SELECT count(*) FROM sqlite_schema WHERE sql IS NULL")
    #expect(FreshSchema.keyIndexes(of: ArraySlice(statement.utf8)) == Int(made ?? -1))
  }

  @Test("of a new store has columns where SQLite would put them, and nothing that a step took away")
  func foldedSteps() throws {
    let schema = FreshSchema([
      Migration(
        version: 1,
        sql: "CREATE TABLE a (x INTEGER, -- one, or UNIQUE\n UNIQUE (x)) STRICT; CREATE TABLE b (z TEXT);"),
      Migration(
        version: 2, sql: "ALTER TABLE a ADD COLUMN y TEXT /* ; */ DEFAULT ';' ; CREATE UNIQUE INDEX i ON b (z)"),
      Migration(version: 3, sql: "INSERT INTO a SELECT z FROM b; DROP TABLE b; CREATE VIEW v AS SELECT x FROM a"),
    ])
    let table = "CREATE TABLE a (x INTEGER, y TEXT /* ; */ DEFAULT ';', -- one, or UNIQUE\n UNIQUE (x)) STRICT"
    #expect(schema.sql == "\(table);\nCREATE VIEW v AS SELECT x FROM a")
  }

  @Test("leaves a newer store alone")
  func newerStore() throws {
    let connection = try connection()
    try connection.run("PRAGMA user_version = 99")
    #expect(try !Schema.migrate(connection))
    #expect(try schema(of: connection).isEmpty)
  }

  @Test("of each version is what the stores of that version have: a released step never changes")
  func releasedSteps() throws {
    for version in 1...Schema.version {
      let fixture = try Connection(name: try Fixture.version(version, in: folder), flags: SQLITE_OPEN_READONLY)
      let fresh = try connection("fresh-\(version).db")
      #expect(try Schema.migrate(fresh, by: Array(Schema.migrations.prefix(version))))
      #expect(try schema(of: fixture) == schema(of: fresh))
    }
  }

  @Test("of version 1 opens and reads")
  func readsVersion1() throws {
    let reader = try StoreReader(path: try Fixture.version(1, in: folder))
    let sessions = try reader.sessions()
    #expect(sessions.map(\.record.command) == [["fixture", "--version", "1"]])
    #expect(sessions.map(\.ended) == [.clean])
    let stalls = try reader.worstStalls(limit: 10)
    #expect(stalls.map(\.duration) == [700 * .millisecond, 80 * .millisecond])
    #expect(stalls.map(\.began.annotations) == [["screen": "Settings"], [:]])
    let mode = try #require(try reader.modes(loop: 1).first)
    #expect(mode.metrics[.span]?.count == 4)
    #expect(
      mode.metrics[.span]?.histogram.value(atPercentile: 50)
        == HistogramLayout.highestDuration(at: HistogramLayout.index(of: 2_000)))
    #expect(try reader.health(session: 1).losses == ["spans": 2])
    #expect(try reader.health(session: 1).intervals.map(\.reason) == ["stopped"])
    #expect(stalls.map(\.cause) == [nil, nil])
    #expect(try reader.cause(stall: 1) == nil)
    #expect(try reader.samples(stall: 1).isEmpty)
    #expect(try reader.images(session: 1).isEmpty)
    #expect(try reader.profile(loop: 1).isEmpty)
    try reader.forEachSampledStall { _, _ in Issue.record("there is none") }
  }

  @Test("of version 2 opens and reads")
  func readsVersion2() throws {
    let reader = try StoreReader(path: try Fixture.version(2, in: folder))
    var stalls: [StoredStall] = []
    try reader.forEachStall { stalls.append($0) }
    let cause = StallCause(running: 1, blocked: 99 * .millisecond, starved: 2)
    #expect(stalls.map(\.cause) == [cause, nil])
    #expect(
      try reader.samples(stall: stalls[0].id) == [
        Sample.sample(at: 50 * .millisecond), Sample.sample(at: 60 * .millisecond, .blocked, on: Sample.lock),
      ])
    #expect(try reader.samples(stall: stalls[1].id).isEmpty)
    #expect(try reader.images(session: 1) == [Sample.image])
    #expect(try reader.profile(loop: 1).map(\.frames) == [[0x5555_0000_2000], [.max, 0, 1]])
    #expect(try reader.profile(loop: 1).map(\.count) == [5, 2])
  }

  @Test("of version 3 says why running threads were not looked at, and one of version 2 nothing of it")
  func readsVersion3() throws {
    let reader = try StoreReader(path: try Fixture.version(3, in: folder))
    #expect(try reader.health(session: 1).signalObstacle == "the program handles SIGPROF")
    let older = try StoreReader(path: try Fixture.version(2, in: folder))
    #expect(try older.health(session: 1).signalObstacle == nil)
  }

  @Test("of version 7 has lanes of every kind, and in older ones all are run loops")
  func readsVersion7() throws {
    let reader = try StoreReader(path: try Fixture.version(7, in: folder))
    #expect(try reader.loops(session: 1).map(\.record.kind) == [.runLoop, .eventLoop])
    let older = try StoreReader(path: try Fixture.version(6, in: folder))
    #expect(try older.loops(session: 1).map(\.record.kind) == [.runLoop])
  }

  @Test("of version 8 says who waited, and an older one nothing of it")
  func readsVersion8() throws {
    let reader = try StoreReader(path: try Fixture.version(8, in: folder))
    #expect(try reader.loops(session: 1).map(\.record.kind) == [.runLoop, .actor])
    #expect(try reader.worstStalls(limit: 1).map(\.began.waiter) == [0x5555_0000_2000])
    let older = try StoreReader(path: try Fixture.version(7, in: folder))
    #expect(try older.worstStalls(limit: 1).map(\.began.waiter) == [nil])
  }

  @Test("of version 9 has names, and an older one none")
  func readsVersion9() throws {
    let reader = try StoreReader(path: try Fixture.version(9, in: folder))
    let names = try reader.names(buildID: "0123456789abcdef")
    #expect(names[0x2000]?.calls.map { $0.function?.name } == ["each<A>(_:)", "ImageStore.decode(_:)"])
    #expect(names[0x2000]?.wealth == .lines)
    #expect(names[0x3000] == ImageNames.Answer(wealth: .exports, calls: []))
    let older = try StoreReader(path: try Fixture.version(8, in: folder))
    #expect(try older.names(buildID: "0123456789abcdef").count == 0)
  }

  @Test("of version 10 says what a session is of, and an older one nothing of it")
  func readsVersion10() throws {
    let reader = try StoreReader(path: try Fixture.version(10, in: folder))
    let record = try #require(try reader.sessions().first).record
    #expect(record.labels == Sample.labels)
    #expect(record.programBuildID == "0123456789abcdef")
    let older = try #require(try StoreReader(path: try Fixture.version(9, in: folder)).sessions().first).record
    #expect(older.labels.isEmpty && older.programBuildID == nil)
  }

  @Test("of a lane that is of no known kind is refused as damaged")
  func refusesUnknownKinds() throws {
    let path = try Fixture.version(7, in: folder)
    try Connection(name: path, flags: SQLITE_OPEN_READWRITE).run("UPDATE loops SET lane_kind = 'nonsense'")
    let reader = try StoreReader(path: path)
    #expect(throws: StoreError.self) { try reader.loops(session: 1) }
  }

  @Test("of an older version is brought up to date by a new recording, and keeps what it has")
  func recordsIntoOlder() throws {
    for version in 1...Schema.version {
      let path = try Fixture.version(version, in: folder)
      let before = try StoreReader(path: path).worstStalls(limit: 10)
      try Sample.write(
        [Sample.loop(), Sample.mode(), Sample.began(1, at: 0), Sample.samples(1, [Sample.sample(at: 1)])], to: path)
      let reader = try StoreReader(path: path)
      #expect(reader.access.version == Schema.version)
      #expect(try reader.sessions().map(\.ended) == [.clean, .clean])
      #expect(try reader.worstStalls(limit: 10).map(\.duration) == before.map(\.duration))
      #expect(try reader.worstStalls(limit: 10).map(\.cause) == before.map(\.cause))
      var sampled: [Int64] = []
      try reader.forEachSampledStall { stall, _ in sampled.append(stall.session) }
      #expect(sampled.last == 2)
    }
  }

  @Test("has views for whoever looks by hand")
  func views() throws {
    let path = folder.file("views.db")
    try Sample.write(
      [
        Sample.loop(), Sample.mode(), Sample.began(1, at: 1 * .second), Sample.ended(1, duration: 300 * .millisecond),
        Sample.profile(at: 0, [Sample.growth(.span, [1_000, 3_000])]),
        Sample.samples(
          1,
          [
            Sample.sample(at: 1 * .second + 50 * .millisecond, weight: 30 * .millisecond),
            Sample.sample(at: 1 * .second + 60 * .millisecond, weight: 10 * .millisecond, .blocked, on: Sample.lock),
            Sample.sample(
              at: 1 * .second + 70 * .millisecond, weight: 20 * .millisecond, .blocked,
              on: BlockedOn(systemCall: "fsync", target: "cache.db")),
          ], cause: StallCause(running: 30 * .millisecond, blocked: 30 * .millisecond, starved: 0)),
      ], to: path)
    var database: OpaquePointer?
    #expect(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    defer { sqlite3_close_v2(database) }
    for (query, expected) in [
      ("SELECT loop || mode || at_s || ' ' || duration_ms FROM stall_list", "mainkCFRunLoopDefaultMode1.0 300.0"),
      ("SELECT started || ' ' || loops || stalls || worst_ms FROM session_list", "2025-06-15T15:06:40Z 11300.0"),
      ("SELECT ifnull(service || release || environment || instance, '-') FROM session_list", "-"),
      ("SELECT metric || count || mean_ms FROM mode_profile", "span20.002"),
      (
        "SELECT loop || samples || ' ' || watched_ms || ' ' || running || blocked || starved FROM sampled_stalls",
        "main3 60.0 0.50.50.0"
      ),
      ("SELECT blocked_on || ' ' || target FROM sampled_stalls", "fsync cache.db"),
      ("SELECT loop || at_ms || activity || owner FROM sample_list WHERE number = 1", "main60.0blockedwriter"),
      ("SELECT blocked_on || target || stalls || ' ' || blocked_ms FROM blocked_on_list", "fsynccache.db1 20.0"),
    ] {
      var statement: OpaquePointer?
      #expect(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK)
      #expect(sqlite3_step(statement) == SQLITE_ROW)
      #expect(sqlite3_column_text(statement, 0).map { String(cString: $0) } == expected)
      sqlite3_finalize(statement)
    }
  }

  @Test("answers totals and the worst from indexes alone")
  func indexes() throws {
    let connection = try connection()
    #expect(try Schema.migrate(connection))
    let queries = StallQueries(version: Schema.version)
    for (query, index) in [
      (queries.totals, "COVERING INDEX stalls_by_sort"), (queries.longest, "stalls_by_duration"),
      (queries.open, "stalls_open"), (queries.byStart, "stalls_by_start"), (queries.sampled, "stalls_by_start"),
    ] {
      let statement = try connection.prepare("EXPLAIN QUERY PLAN " + query)
      var plan = ""
      while try statement.step() {
        var row = statement.row
        for _ in 0..<3 { _ = try row.integerIfAny() }
        plan += try row.text() + "\n"
      }
      #expect(plan.contains(index))
      #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }
  }
}
