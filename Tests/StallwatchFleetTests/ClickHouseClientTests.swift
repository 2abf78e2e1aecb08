import StallwatchReport
import Synchronization
import Testing

@testable import StallwatchFleet

@Suite("ClickHouse's client")
struct ClickHouseClientTests {
  /// Answers what a client asks first of all; `settings` are those that the server knows.
  private static func facts(
    _ request: ScriptedServer.Request, version: String = "18.16.1", settings: [String] = []
  ) -> ScriptedServer.Answer? {
    let query = String(decoding: request.body, as: UTF8.self)
    if query.contains("version()") { return .clickHouse("version\nString\n\(version)\n") }
    if query.contains("system.settings") {
      return .clickHouse("name\nString\n" + settings.map { $0 + "\n" }.joined())
    }
    return nil
  }

  private static func client(
    of server: ScriptedServer, patience: Duration = .seconds(60)
  ) throws -> ClickHouseClient {
    var address = try ClickHouseServer(url: server.url)
    address.patience = patience
    return ClickHouseClient(address)
  }

  /// What a select of two columns makes of an answer.
  private static func selected(_ answer: ScriptedServer.Answer, patience: Duration = .seconds(60)) async throws
    -> [[String]]
  {
    let server = try ScriptedServer { _, _ in answer }
    return try await client(of: server, patience: patience).select("SELECT a, b", into: []) {
      $0.append([try $1.text("a"), try $1.text("b")])
    }
  }

  @Test("an insert names table, columns and batch, and waits for every shard")
  func insert() async throws {
    let server = try ScriptedServer { _, request in
      Self.facts(request, settings: ["insert_deduplication_token", "insert_distributed_sync"]) ?? .clickHouse()
    }
    let client = try Self.client(of: server)
    for batch in ["first", "second"] {
      try await client.insert(table: "stalls", columns: ["at", "span.bucket"], rows: [1, 2, 3], batch: batch)
    }
    let inserts = server.requests.filter { $0.parameters["query"] != nil }
    #expect(server.requests.count == 4)
    #expect(inserts.map { $0.parameters["insert_deduplication_token"] } == ["first", "second"])
    #expect(inserts[0].parameters["query"] == "INSERT INTO `stalls` (`at`, `span.bucket`) FORMAT RowBinary")
    #expect(inserts[0].parameters["insert_distributed_sync"] == "1")
    #expect(inserts[0].body == [1, 2, 3])
  }

  @Test("a server of 2018 is not told what it does not know")
  func oldServer() async throws {
    let server = try ScriptedServer { _, request in
      Self.facts(request, settings: ["insert_distributed_sync"]) ?? .clickHouse()
    }
    try await Self.client(of: server).insert(table: "stalls", columns: ["at"], rows: [1], batch: "first")
    #expect(
      Set(try #require(server.requests.last).parameters.keys) == ["database", "insert_distributed_sync", "query"])
  }

  @Test("who asks stands in headers, never in the address")
  func password() async throws {
    let server = try ScriptedServer { _, _ in .clickHouse() }
    var address = try ClickHouseServer(url: "http://a%20b@127.0.0.1:\(server.port)/fleet")
    address.password = .init("se cret")
    try await ClickHouseClient(address).run("SELECT 1")
    let request = try #require(server.requests.first)
    #expect(request.headers["x-clickhouse-user"] == "a b" && request.headers["x-clickhouse-key"] == "se cret")
    #expect(request.parameters["database"] == "fleet")
    #expect(!request.address.contains("cret") && !"\(address)".contains("cret"))
    var dumped = ""
    dump(address, to: &dumped)
    #expect(!dumped.contains("cret"))
  }

  @Test("long bodies are sent packed")
  func packing() async throws {
    let server = try ScriptedServer { _, request in Self.facts(request) ?? .clickHouse() }
    try await Self.client(of: server).insert(
      table: "stalls", columns: ["at"], rows: [UInt8](repeating: 7, count: 1 << 20), batch: "first")
    let request = try #require(server.requests.last)
    #expect(request.headers["content-encoding"] == "gzip")
    #expect(request.body.count < 10_000 && request.body.starts(with: [0x1F, 0x8B]))
  }

  @Test("rows are read as their types, with every escape, in pieces of any size")
  func rows() async throws {
    let answer = #"""
      t	n	s	r	ts	ns
      String	UInt64	Int32	Float64	Array(String)	Array(UInt16)
      a\tb\\n\n\'	18446744073709551615	-5	1.5	['a,b','c\'d','','\\']	[1,2]
      é	0	0	nan	[]	[]

      """#
    let server = try ScriptedServer { _, _ in .clickHouse(answer) }
    let found = try await Self.client(of: server).rows("SELECT")
    #expect(try found.map { try $0.text("t") } == ["a\tb\\n\n'", "é"])
    #expect(try found.map { try $0.unsigned("n") } == [.max, 0])
    #expect(try found[0].signed("s") == -5 && found[0].real("r") == 1.5 && found[1].real("r").isNaN)
    #expect(try found.map { try $0.texts("ts") } == [["a,b", "c'd", "", "\\"], []])
    #expect(try found.map { try $0.unsigneds("ns") } == [[1, 2], []])
    #expect(throws: TabSeparatedReader.Broken.self) { try found[0].unsigned("t") }
    #expect(throws: TabSeparatedReader.Broken.self) { try found[0].texts("n") }
    #expect(throws: TabSeparatedReader.Broken.self) { try found[0].text("x") }
    for size in 1..<20 {
      var (reader, count) = (TabSeparatedReader(), 0)
      var rest = Array(answer.utf8)[...]
      while !rest.isEmpty {
        try rest.prefix(size).withUnsafeBytes { try reader.read($0) { _ in count += 1 } }
        rest = rest.dropFirst(size)
      }
      try reader.finish()
      #expect(count == 2)
    }
  }

  @Test("an exception becomes one line that says what to do")
  func exceptions() async throws {
    let old =
      "Code: 60, e.displayText() = DB::Exception: Table default.stalls doesn't exist., e.what() = DB::Exception\n"
    let new = "Code: 60. DB::Exception: Table default.stalls doesn't exist. (UNKNOWN_TABLE) (version 26.9.2.1)\nStack"
    for text in [old, new] {
      let error = await #expect(throws: ClickHouseError.self) {
        try await Self.selected(.clickHouse(status: 404, text))
      }
      guard case .refused(_, 60, let reason) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(reason.hasPrefix("Table default.stalls doesn't exist") && !reason.contains("\n"))
      #expect(error?.isWorthRetrying == false)
      #expect("\(error!)".contains("fleet migrate"))
    }
    let denied = await #expect(throws: ClickHouseError.self) {
      try await Self.selected(
        .clickHouse(status: 401, "Code: 193, e.displayText() = DB::Exception: Wrong password for user x, e.what() = x"))
    }
    guard case .denied = denied else {
      Issue.record("\(String(describing: denied))")
      return
    }
    let full = await #expect(throws: ClickHouseError.self) {
      try await Self.selected(.clickHouse(status: 500, "Code: 252. DB::Exception: Too many parts"))
    }
    #expect(full?.isWorthRetrying == true)
  }

  @Test(
    "what is no answer of ClickHouse's is never taken for one",
    arguments: [
      ScriptedServer.Answer.raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK".utf8)),
      .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)),
      .raw(Array("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".utf8)),
      .raw(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)),
      .raw([]),
      .raw([0, 1, 2, 3]),
      .raw(Array("HTTP/1.1 200 OK\r\nX-ClickHouse-Query-Id: 1\r\nContent-Length: 100\r\n\r\na\tb\nString\t".utf8)),
      .clickHouse("<html>"),
      .clickHouse("a\tb\nString\tString\n1"),
      .clickHouse("a\tb\nString\tString\n1\n"),
      .clickHouse("a\tb\n"),
      .clickHouse(""),
      .clickHouse("b\tc\nString\tString\n1\t2\n"),
      .clickHouse("a\tb\nString\tString\n1\t2\nCode: 241. DB::Exception: Memory limit\n"),
    ])
  func nonsense(_ answer: ScriptedServer.Answer) async throws {
    await #expect(throws: ClickHouseError.self) { try await Self.selected(answer) }
    if case .clickHouse(_, "") = answer { return }
    let server = try ScriptedServer { _, request in Self.facts(request) ?? answer }
    await #expect(throws: ClickHouseError.self) {
      try await Self.client(of: server).insert(table: "stalls", columns: ["at"], rows: [1], batch: "x")
    }
  }

  @Test("an answer without an end is given up, and what is read of it is bounded")
  func endless() async throws {
    let head = Array("HTTP/1.1 200 OK\r\nX-ClickHouse-Query-Id: 1\r\n".utf8)
    let body = Array("\r\n".utf8)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
    let line = await #expect(throws: ClickHouseError.self) { try await Self.selected(.endless(head + body, piece)) }
    #expect(line.map { if case .nonsense = $0 { true } else { false } } == true)
    // A head without an end.
    await #expect(throws: ClickHouseError.self) {
      try await Self.selected(.endless(head, Array("X-ClickHouse-A: 1\r\n".utf8)))
    }
    let server = try ScriptedServer { _, _ in .endless(head + body, piece) }
    let error = await #expect(throws: ClickHouseError.self) { try await Self.client(of: server).run("SELECT 1") }
    #expect(error.map { if case .tooLong = $0 { true } else { false } } == true)
  }

  @Test("a server that never answers costs its patience")
  func silence() async throws {
    let error = await #expect(throws: ClickHouseError.self) {
      try await Self.selected(.nothing, patience: .milliseconds(100))
    }
    guard case .tooSlow = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.isWorthRetrying == true)
  }

  @Test("who is cancelled waits no longer")
  func cancellation() async throws {
    let server = try ScriptedServer { _, _ in .nothing }
    let client = try Self.client(of: server, patience: .seconds(3_600))
    let task = Task { try await client.run("SELECT 1") }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a server that is away is unreachable, and one that came back is found")
  func comingBack() async throws {
    let gone = try ScriptedServer { _, _ in .clickHouse() }
    gone.close()
    let error = await #expect(throws: ClickHouseError.self) { try await Self.client(of: gone).run("SELECT 1") }
    guard case .unreachable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let isBack = Mutex(false)
    let broken = try ScriptedServer { _, _ in isBack.withLock { $0 } ? .clickHouse() : .raw([]) }
    let client = try Self.client(of: broken)
    await #expect(throws: ClickHouseError.self) { try await client.run("SELECT 1") }
    isBack.withLock { $0 = true }
    try await client.run("SELECT 1")
  }

  @Test(
    "URLs that cannot be used are refused with what to write",
    arguments: [
      "127.0.0.1", "ftp://host/", "http://", "http:///x", "https://user:password@host/", "http://host/a/b",
      "http://host/a?x=1",
      "http://host?x", "http://host:0/", "http://host:70000/", "http://ho st/", "http://host/%zz", "http://host/%0a",
      "http://@/",
    ])
  func unusable(_ url: String) {
    let error = #expect(throws: ClickHouseError.self) { try ClickHouseServer(url: url) }
    #expect(error.map { "\($0)".contains("https://user@host:8443/database") } == true)
    #expect(error.map { "\($0)".contains("user:password") } == false)
  }

  @Test("URLs say server, user and database")
  func urls() throws {
    let server = try ClickHouseServer(url: "https://a%40b@Host.example/d%C3%A9")
    #expect(server.address == "https://Host.example:8443" && server.user == "a@b" && server.database == "dé")
    let other = try ClickHouseServer(url: "HTTP://[::1]:99")
    #expect(other.address == "http://[::1]:99" && other.user == "default" && other.database == "default")
    #expect(try ClickHouseServer(url: "http://[::1]/").address == "http://[::1]:8123")
  }

  @Test("no value of a parameter acts")
  func parameters() throws {
    #expect(
      try SQLText.filled(
        "a = {a:String} AND b IN {b:Array(UInt64)} LIMIT {c:UInt64}",
        ["a": .text("'; DROP\\\n--"), "b": .unsigneds([1]), "c": .unsigned(7)])
        == #"a = CAST('\'; DROP\\\x0a--' AS String) AND b IN CAST([1] AS Array(UInt64)) LIMIT 7"#)
    #expect(SQLText.name("a`b\\") == #"`a\`b\\`"#)
    #expect(try SQLText.filled("{a:String}", ["a": .text("{b:String}")]) == "CAST('{b:String}' AS String)")
    #expect(throws: ClickHouseError.self) { try SQLText.filled("{c:String}", [:]) }
  }
}
