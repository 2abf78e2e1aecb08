import CSQLite
import StallwatchCore
import Testing

@testable import StallwatchStore

/// What sessions say that they are, in a store.
@Suite("Labels")
struct LabelTests {
  let folder = TemporaryFolder()

  private func write(_ session: SessionRecord, to path: String) throws {
    let writer = try StoreWriter(path: path, session: session, configuration: .init())
    try writer.finish(endedNs: session.startedNs + .second, trouble: nil)
    writer.fold()
  }

  private func run(_ sql: String, in path: String) throws {
    let connection = try WritableStore.open(path, creating: false, busyTimeout: 0)
    try connection.run(sql)
    WritableStore.fold(connection)
  }

  private func labels(_ path: String) throws -> [SessionLabels] {
    try StoreReader(path: path).sessions().map(\.record.labels)
  }

  @Test("are kept of each session, also where one says nothing or only a part")
  func kept() throws {
    let path = folder.file("labels.db")
    let few = SessionLabels(release: "2", tags: ["a": "b"])
    for (number, labels) in [Sample.labels, SessionLabels(), few].enumerated() {
      var session = Sample.labelled(labels)
      session.process.startTime += UInt64(number + 1)
      try write(session, to: path)
    }
    #expect(try labels(path) == [Sample.labels, SessionLabels(), few])
    #expect(
      try StoreReader(path: path).sessions().map(\.record.programBuildID)
        == Array(repeating: "0123456789abcdef", count: 3))
  }

  @Test("come along in a merge, and go with their session")
  func merged() throws {
    let (part, all) = (folder.file("part.db"), folder.file("all.db"))
    var session = Sample.labelled()
    session.process.startTime += 1
    try write(session, to: part)
    #expect(try StoreMerger(into: all).add(part).added == 1)
    let older = try Fixture.version(9, in: folder)
    #expect(try StoreMerger(into: all).add(older).added == 1)
    #expect(try labels(all) == [Sample.labels, SessionLabels()])
    try run("DELETE FROM sessions WHERE id = 1", in: all)
    #expect(try labels(all) == [SessionLabels()])
    let connection = try Connection(name: all, flags: SQLITE_OPEN_READONLY)
    #expect(try connection.firstInteger("SELECT count(*) FROM tags") == 0)
  }

  @Test(
    "of a store that somebody else wrote are refused where they cannot be",
    arguments: [
      "UPDATE sessions SET release = printf('%.*c', 300, 'a')", "UPDATE sessions SET program_build_id = '../../etc'",
      "UPDATE tags SET value = printf('%.*c', 300, 'a')",
      "UPDATE tags SET name = printf('%.*c', 100, 'a') WHERE name = 'tier'",
      "PRAGMA foreign_keys = OFF; UPDATE tags SET session = 7",
      """
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 40)
      INSERT INTO tags SELECT 1, 'tag' || n, 'x' FROM n
      """,
    ])
  func refused(damage: String) throws {
    let path = folder.file("refused.db")
    try write(Sample.labelled(), to: path)
    try run(damage, in: path)
    #expect {
      _ = try StoreReader(path: path)
    } throws: { error in
      guard case StoreError.damaged = error else { return false }
      return true
    }
  }
}
