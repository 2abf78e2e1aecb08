import CSQLite
import SeededNumbers
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Memory that only writing needs")
struct ReleasedMemoryTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("store.db") }

  /// What SQLite keeps for a connection, in bytes: schema, statements and pages.
  private func kept(by connection: Connection) -> Int32 {
    [SQLITE_DBSTATUS_SCHEMA_USED, SQLITE_DBSTATUS_STMT_USED, SQLITE_DBSTATUS_CACHE_USED].reduce(0) { sum, what in
      var (now, highest): (Int32, Int32) = (0, 0)
      sqlite3_db_status(connection.handle, what, &now, &highest, 0)
      return sum + now
    }
  }

  @Test("is released, and the statements go on as before")
  func released() throws {
    let connection = try WritableStore.open(path, creating: true, busyTimeout: 0)
    let count = try connection.prepare("SELECT count(*) FROM sessions WHERE pid = ?1")
    count.bind(7 as Int64, at: 1)
    #expect(try count.firstInteger() == 0)
    let before = kept(by: connection)
    connection.releaseMemory()
    // Some kilobytes are the pager's own.
    #expect(kept(by: connection) < before / 4)
    #expect(connection.isReleased)
    count.bind(7 as Int64, at: 1)
    #expect(try count.firstInteger() == 0)
    #expect(!connection.isReleased)
    #expect(try connection.firstInteger("PRAGMA foreign_keys") == 1, "settings stay")
    #expect(try connection.firstInteger("PRAGMA synchronous") == 1)
  }

  @Test("stays within a transaction")
  func inTransaction() throws {
    let connection = try WritableStore.open(path, creating: true, busyTimeout: 0)
    try connection.write { () throws(SQLiteFailure) in
      connection.releaseMemory()
      #expect(!connection.isReleased)
      try connection.run("CREATE TABLE other (value)")
    }
    #expect(try connection.firstInteger("SELECT count(*) FROM other") == 0)
  }

  @Test("A statement whose table went meanwhile says so when it is run, and can be given up")
  func gone() throws {
    let connection = try Connection(name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY)
    try connection.run("CREATE TABLE things (value)")
    let insert = try connection.prepare("INSERT INTO things VALUES (?1)")
    try connection.run("DROP TABLE things")
    connection.releaseMemory()
    insert.bind(1 as Int64, at: 1)
    insert.reset()
    #expect(throws: SQLiteFailure.self) { try insert.run() }
    #expect(throws: SQLiteFailure.self) { try insert.step() }
    try connection.run("CREATE TABLE things (value)")
    insert.bind(2 as Int64, at: 1)
    try insert.run()
    #expect(try connection.firstInteger("SELECT value FROM things") == 2)
  }

  @Test("A statement that is compiled late says at its first step what is wrong with it")
  func late() throws {
    let connection = try Connection(name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY)
    #expect(throws: SQLiteFailure.self) { try connection.prepare("SELECT value FROM absent") }
    connection.compilesLate = true
    let statement = try connection.prepare("SELECT value FROM absent")
    #expect(throws: SQLiteFailure.self) { try statement.step() }
    try connection.run("CREATE TABLE absent (value)")
    #expect(try !statement.step())
  }

  @Test("is little once a writer has opened its store, and every writing releases it again")
  func writer() throws {
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .patient)
    writer.releaseMemory()
    let opened = kept(by: writer.connection)
    try writer.write([Sample.loop(), Sample.mode()])
    #expect(kept(by: writer.connection) > opened)
    writer.releaseMemory()
    #expect(kept(by: writer.connection) <= opened)
    try writer.write([Sample.loop(LoopID(rawValue: 2))])
    #expect(try writer.connection.firstInteger("SELECT count(*) FROM loops") == 2)
  }

  @Test("suffices a burst of stalls, and is released after it")
  func burst() throws {
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .patient)
    try writer.write([Sample.loop(), Sample.mode()])
    writer.releaseMemory()
    let opened = kept(by: writer.connection)
    var random = RandomNumbers(seed: 7)
    for burst in 0..<4 as Range<UInt64> {
      try writer.write((0..<400 as Range<UInt64>).flatMap { stall(burst * 400 + $0, &random) })
      // With the usual pages, each stall reads some, and all together more than three thousand.
      #expect(misses(of: writer.connection) < 100)
    }
    #expect(try #require(try writer.connection.firstInteger("PRAGMA page_count")) > 400)
    writer.releaseMemory()
    #expect(kept(by: writer.connection) <= opened)
  }

  /// A stall of any length, with stacks of its own.
  private func stall(_ number: UInt64, _ random: inout RandomNumbers) -> [Record] {
    let moment = number * .second
    let looks = (0..<4 as Range<UInt64>).map { look in
      Sample.sample(at: moment + look * 10 * .millisecond, .running, (0..<20).map { _ in random.next() })
    }
    return [
      Sample.began(number, at: moment), Sample.samples(number, looks),
      Sample.ended(number, duration: (60 + random.next() % 900) * .millisecond),
    ]
  }

  /// How many pages SQLite had to read since this was last called.
  private func misses(of connection: Connection) -> Int32 {
    var (now, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(connection.handle, SQLITE_DBSTATUS_CACHE_MISS, &now, &highest, 1)
    return now
  }

  @Test("is not released so often that it costs more than it is worth")
  func rate() {
    var releases = MemoryReleases()
    let start = 1_000 * Nanoseconds.second
    let allowed = (0..<100 as Range<UInt64>).count { releases.mayCome(at: start + $0 * 100 * .millisecond) }
    #expect(allowed == MemoryReleases.most)
    releases.owe()
    let afterClosing = (0..<2 as Range<UInt64>).map { releases.mayCome(at: start + (30 + $0) * .second) }
    #expect(afterClosing == [true, false], "once more after figures have come into the store")
    let isAllowedLater = releases.mayCome(at: start + 60 * .second)
    #expect(isAllowedLater)
  }

  @Test("waits until nothing was written for a while, but for figures that came into the store")
  func quiet() {
    var releases = MemoryReleases()
    let start = 1_000 * Nanoseconds.second
    // One stall after the other, for ten minutes.
    let released = (0..<6_000 as Range<UInt64>).count { stall in
      let now = start + stall * 100 * .millisecond
      releases.noteWriting(at: now)
      return releases.mayCome(at: now + 99 * .millisecond)
    }
    #expect(released == 0)
    let last = start + 5_999 * 100 * .millisecond
    #expect(releases.dueNs == last + MemoryReleases.quietTime)
    releases.owe()
    let isOwed = releases.mayCome(at: last + 1)
    #expect(isOwed)
    let isAllowed = releases.mayCome(at: releases.dueNs)
    #expect(isAllowed)
  }
}
