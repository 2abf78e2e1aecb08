import CSQLite
import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

/// Names of addresses in the store: written, read, merged, and removed with what needed them.
@Suite("Names") struct NamesTests {
  let folder = TemporaryFolder()
  private var path: String { folder.file("store.db") }
  private static let buildID = "0123456789abcdef"

  private static func call(_ name: String?, _ file: String? = nil, _ line: Int? = nil, own: Bool = true) -> NamedCall {
    NamedCall(function: name.map { NamedFunction(name: $0, module: "App") }, file: file, line: line, isOwnSource: own)
  }

  private static func answer(_ wealth: SymbolWealth, _ calls: NamedCall...) -> ImageNames.Answer {
    ImageNames.Answer(wealth: wealth, calls: calls)
  }

  /// A session with one stall, which was seen at three addresses of an image. Each second of its stalls is one of the
  /// wall clock's from `startedAt` on.
  private func record(
    _ path: String? = nil, process: UInt64 = 0, startedAt: Nanoseconds = 1_750_000_000 * .second,
    buildID: String? = buildID, stacks: [[UInt64]] = [[0x7fff_0000_2000, 0x7fff_0000_3001]]
  ) throws {
    var identity = ProcessIdentity.current()
    identity.startTime += process
    var session = Sample.session(process: identity)
    session.startedAt = startedAt
    var image = Sample.image
    image.buildID = buildID
    var records = [Sample.loop(), Sample.mode(), .image(image)]
    for (number, stack) in stacks.enumerated() {
      let moment = Nanoseconds(number + 1) * .second
      records += [
        Sample.began(UInt64(number + 1), at: moment),
        Sample.samples(UInt64(number + 1), [Sample.sample(at: moment, weight: 100 * .millisecond, .running, stack)]),
        Sample.ended(UInt64(number + 1), duration: 100 * .millisecond),
      ]
    }
    try Sample.write(records, to: path ?? self.path, session: session)
  }

  private func name(
    _ answers: [UInt64: ImageNames.Answer], in path: String? = nil, buildID: String = buildID,
    functions: [Int64: StackFunction] = [:]
  ) throws -> Int {
    let namer = try StoreNamer(path ?? self.path, checking: true)
    var batch = StoreNamer.Batch()
    batch.answers = answers.map { (buildID, $0.key, $0.value) }
    batch.functions = functions.map { ($0.key, $0.value) }
    let count = try namer.write(batch)
    try namer.removeUnused()
    namer.close()
    return count
  }

  private func count(_ sql: String, in path: String? = nil) throws -> Int64 {
    let connection = try Connection(name: path ?? self.path, flags: SQLITE_OPEN_READONLY)
    return try #require(try connection.firstInteger(sql))
  }

  /// What whoever looks by hand sees: Stallwatch itself asks no view.
  private func rows(_ sql: String, in path: String? = nil) throws -> [String] {
    var (database, statement): (OpaquePointer?, OpaquePointer?)
    #expect(sqlite3_open_v2(path ?? self.path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    defer { sqlite3_close_v2(database) }
    #expect(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, "\(sql)")
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      let columns = (0..<sqlite3_column_count(statement)).map { column in
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "-"
      }
      rows.append(columns.joined(separator: "|"))
    }
    return rows
  }

  @Test("are read as they were written, each text once")
  func roundTrip() throws {
    try record()
    let whole = Self.answer(
      .lines, Self.call("inlined", "/src/A.swift", 3),
      NamedCall(
        function: NamedFunction(name: "A.go()", isSystem: true, isThunk: true), file: "/src/A.swift", isOwnSource: false
      ))
    let unknown = Self.answer(.lines)
    #expect(try name([0x2000: whole, 0x3000: unknown]) == 2)
    let names = try StoreReader(path: path).names(buildID: Self.buildID)
    #expect(names.count == 2)
    #expect(names[0x2000] == whole)
    #expect(names[0x3000] == unknown)
    #expect(names[0x2001] == nil)
    #expect(try StoreReader(path: path).names(buildID: "00").count == 0)
    #expect(try rows("SELECT text FROM texts ORDER BY text") == ["/src/A.swift", "A.go()", "App", "inlined"])
    #expect(try name([0x2000: whole]) == 0)
  }

  @Test("of a file that says more take the place of others, and are kept from those that say less")
  func richest() throws {
    try record()
    let (few, more, most) = (
      Self.answer(.exports, Self.call("few")), Self.answer(.names, Self.call("more")),
      Self.answer(.lines, Self.call("inlined", "/src/A.swift", 2), Self.call("most", "/src/A.swift", 9))
    )
    for (answer, isNew) in [(more, true), (few, false), (more, false), (most, true), (more, false)] {
      #expect(try name([0x2000: answer]) == (isNew ? 1 : 0))
    }
    #expect(try StoreReader(path: path).names(buildID: Self.buildID)[0x2000] == most)
    #expect(try count("SELECT count(*) FROM names") == 2)
  }

  @Test("of addresses that nothing has any more go, and with them their texts")
  func unused() throws {
    try record()
    let answer = Self.answer(.lines, Self.call("used", "/src/A.swift", 1))
    // The byte before a return address is what is looked up.
    #expect(try name([0x2000: answer, 0x3000: answer, 0x3001: Self.answer(.lines, Self.call("unused"))]) == 3)
    #expect(try rows("SELECT DISTINCT offset FROM names") == ["\(0x2000)", "\(0x3000)"])
    #expect(try count("SELECT count(*) FROM texts WHERE text = 'unused'") == 0)
    #expect(try name([0x2000: answer], buildID: "ffff") == 1)
    #expect(try count("SELECT count(*) FROM named_images") == 1)
  }

  @Test("go with the last session that had their image")
  func pruned() throws {
    try record()
    _ = try name(
      [0x2000: Self.answer(.lines, Self.call("go", "/src/A.swift", 1))],
      functions: [1: StackFunction(function: "go", file: "/src/A.swift", line: 1, leaf: "go")])
    #expect(try count("SELECT count(*) FROM stack_functions") == 1)
    let pruner = try StorePruner(path, limits: RetentionLimits(maximumAge: 3_600 * .second, maximumSize: nil))
    _ = try pruner.run(wallNow: 1_800_000_000 * .second)
    for table in ["sessions", "named_images", "names", "texts", "stack_functions"] {
      #expect(try count("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
  }

  @Test("come along when stores are merged, those that both have once")
  func merged() throws {
    let (one, other, all) = (folder.file("one.db"), folder.file("other.db"), folder.file("all.db"))
    try record(one)
    try record(other, process: 7, stacks: [[0x7fff_0000_2000], [0x7fff_0000_4000, 0x7fff_0000_3001]])
    let shared = Self.answer(.lines, Self.call("shared", "/src/A.swift", 1))
    let function = StackFunction(function: "own", file: "/src/A.swift", line: 4, leaf: "shared")
    _ = try name(
      [0x2000: shared, 0x3000: Self.answer(.exports, Self.call("poor"))], in: one, functions: [1: function])
    let rich = Self.answer(.lines, Self.call("rich", "/src/B.swift", 2))
    _ = try name([0x2000: shared, 0x3000: rich, 0x4000: Self.answer(.lines)], in: other, functions: [2: function])
    let merger = try StoreMerger(into: all)
    for store in [one, other] { #expect(try merger.add(store).added == 1) }
    #expect(try merger.add(other).known == 1)
    let names = try StoreReader(path: all).names(buildID: Self.buildID)
    #expect(names[0x2000] == shared)
    #expect(names[0x3000] == rich)
    #expect(names[0x4000] == Self.answer(.lines))
    #expect(try count("SELECT count(*) - count(DISTINCT text) FROM texts", in: all) == 0)
    let functions = try rows(
      "SELECT session, stack, function, line, leaf FROM function_times WHERE function IS NOT NULL", in: all)
    #expect(functions.count == 2)
    #expect(functions.allSatisfy { $0.hasSuffix("|own|4|shared") })
    #expect(
      try count("SELECT count(*) FROM stack_functions JOIN stacks ON stacks.id = stack", in: all) == 2)
  }

  @Test("are read from the file that wrote them: one of an older version has none")
  func older() throws {
    #expect(try StoreReader(path: try Fixture.version(8, in: folder)).names(buildID: Self.buildID).count == 0)
    let target = folder.file("merged.db")
    #expect(try StoreMerger(into: target).add(try Fixture.version(2, in: folder)).added == 1)
    #expect(try StoreReader(path: target).names(buildID: Self.buildID).count == 0)
  }

  @Test(
    "that no writer writes are refused",
    arguments: [
      "UPDATE names SET function = 999", "UPDATE names SET depth = 1", "UPDATE names SET traits = 8",
      "UPDATE names SET traits = -1", "UPDATE names SET line = 0", "UPDATE names SET line = -1",
      "UPDATE named_images SET wealth = 'all'", "UPDATE texts SET text = printf('%.*c', 70000, 'a') WHERE id = 1",
      "DELETE FROM texts", "UPDATE stack_functions SET function = 999",
    ])
  func hostile(_ change: String) throws {
    try record()
    _ = try name(
      [0x2000: Self.answer(.lines, Self.call("go", "/src/A.swift", 1))],
      functions: [1: StackFunction(function: "go", file: "/src/A.swift", line: 1, leaf: "go")])
    let connection = try Connection(name: path, flags: SQLITE_OPEN_READWRITE)
    try connection.run(change)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(throws: StoreError.self) { try StoreCheck.readAll(StoreReader(path: path)) }
    #expect(throws: StoreError.self) { try StoreNamer(path, checking: true) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test("are written while another process records into the store")
  func beside() throws {
    try record()
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    #expect(recorder.take(Sample.loop()))
    #expect(try name([0x2000: Self.answer(.lines, Self.call("go"))]) == 1)
    #expect(recorder.take(Sample.mode()))
    recorder.close(endedNs: Sample.start + 100 * .second)
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().count == 2)
    #expect(try reader.names(buildID: Self.buildID).count == 1)
  }

  @Test("answer which function cost the main loop most between 10:00 and 10:05, as the documentation asks")
  func documentedQuery() throws {
    let article = try String(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../Sources/Stallwatch/Stallwatch.docc/TheStore.md")
        .standardized, encoding: .utf8)
    let section = try #require(article.components(separatedBy: "between 10:00 and 10:05:\n").dropFirst().first)
    let query = try #require(
      section.components(separatedBy: "```sql\n").dropFirst().first?.components(separatedBy: "```").first)
    // 2026-11-26 09:59:57.5 UTC: the first two stalls are before ten o'clock, the others after it.
    let stacks: [[UInt64]] = [1, 2, 3, 4, 5].map { [0x7fff_0000_2000 + $0] }
    try record(startedAt: 1_795_687_197 * .second + 500 * .millisecond, stacks: stacks)
    let (slow, quick) = (
      StackFunction(function: "slow()", file: "/src/A.swift", line: 4), StackFunction(function: "quick()")
    )
    _ = try name([:], functions: [1: quick, 2: quick, 3: slow, 4: quick, 5: slow])
    #expect(try rows(query) == ["slow()|/src/A.swift|4|2|200.0", "quick()|-|-|1|100.0"])
    let stalls = try rows("SELECT id, began_at, function, file, line, function_ms FROM stall_functions ORDER BY id")
    #expect(stalls[0] == "1|2026-11-26T09:59:58.500Z|quick()|-|-|100.0")
    #expect(stalls[2] == "3|2026-11-26T10:00:00.500Z|slow()|/src/A.swift|4|100.0")
  }

  @Test("are shown for every frame of a stack by a view that decodes it")
  func frames() throws {
    let marks: [UInt64] = [0x7fff_0000_2000, 0x7fff_0000_3001, 0x5555_0000_1000, 1, UInt64.max - 5, 0]
    try record(stacks: [marks])
    _ = try name([
      0x2000: Self.answer(.lines, Self.call("inlined", "/src/A.swift", 3), Self.call("go", "/src/A.swift", 9)),
      0x3000: Self.answer(.lines, Self.call("caller")),
    ])
    let found = try rows(
      "SELECT number, depth, address, image, function, file, line FROM stack_frames WHERE stack = 1")
    let image = Sample.image.path
    #expect(
      found == [
        "0|0|\(0x7fff_0000_2000)|\(image)|inlined|/src/A.swift|3", "0|1|\(0x7fff_0000_2000)|\(image)|go|/src/A.swift|9",
        "1|0|\(0x7fff_0000_3001)|\(image)|caller|-|-", "2|0|\(0x5555_0000_1000)|-|-|-|-", "3|0|1|-|-|-|-",
        "4|0|-6|-|-|-|-", "5|0|0|-|-|-|-",
      ])
  }
}
