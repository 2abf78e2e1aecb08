import StallwatchFormats
import Synchronization

/// Asks ClickHouse over HTTP: versions from 18.16 on.
///
/// Requests are made one after the other on one connection; several clients work at the same time. A server that answers
/// nonsense, endlessly, slowly or never costs its patience, and memory for a bounded answer.
package final class ClickHouseClient: Sendable {
  package let server: ClickHouseServer
  private let connection = HTTPConnection()
  /// What the server said of itself; asked once.
  private let known = Mutex<ServerFacts?>(nil)

  /// The most bytes of an answer: to what has none, and to a query, whose rows are not kept.
  private static let mostBytes = (plain: 1 << 20, query: 1 << 30)
  /// The longest query that a server takes unasked, less a margin for its count: `max_query_size` is 262,144 by
  /// default. Lists of some ten thousand signatures are longer.
  private static let mostQueryBytes = 262_144 - 4_096
  /// Bodies from here on are sent packed.
  private static let packedFrom = 1_024

  package init(_ server: ClickHouseServer) {
    self.server = server
  }

  /// Adds rows, in the format RowBinary, to a table; the columns are those that the rows have. Returns once every shard
  /// has them. Throws ``ClickHouseError``, and then the rows may be there or not, so send them again.
  ///
  /// A server that knows batch names gets this one's, and leaves out a batch that it already has.
  ///
  /// - Parameter isPacked: Whether the rows are packed by gzip already.
  package func insert(
    table: String, columns: [String], rows: [UInt8], isPacked: Bool = false, batch: String
  ) async throws {
    let facts = try await facts()
    let names = columns.map(SQLText.name).joined(separator: ", ")
    var settings = facts.insertSettings
    if facts.hasBatchNames { settings.append(("insert_deduplication_token", batch)) }
    settings.append(("query", "INSERT INTO \(SQLText.name(table)) (\(names)) FORMAT RowBinary"))
    let answer = try await ask(settings, body: rows, isPacked: isPacked)
    // An insert has no answer. Whatever else says "200 OK" to it, such as a portal, has taken nothing.
    guard answer.body.isEmpty else { throw nonsense("it has an answer to an insert", answer.body) }
  }

  /// Runs a statement that has no answer, such as `CREATE TABLE`, and drops what is answered. Statements are about the
  /// server's database, unless that may not be there yet.
  package func run(_ statement: String, inDatabase: Bool = true) async throws {
    _ = try await ask([], body: Array(statement.utf8), inDatabase: inDatabase)
  }

  /// Runs a query and folds its rows into `initial`, one after the other, on the connection's thread. Rows are given as
  /// they come and the server waits meanwhile, so memory does not grow with the answer. The query must not name a format.
  ///
  /// `{name:Type}` in the query stands for a parameter, as in today's clients. Throws ``ClickHouseError`` and what `fold`
  /// throws.
  package func select<Value: Sendable>(
    _ query: String, parameters: [String: SQLValue] = [:], inDatabase: Bool = true, into initial: Value,
    _ fold: @escaping @Sendable (inout Value, ClickHouseRow) throws -> Void
  ) async throws -> Value {
    let text = try SQLText.filled(query, parameters) + "\nFORMAT TabSeparatedWithNamesAndTypes"
    let state = Mutex((reader: TabSeparatedReader(), value: initial))
    do {
      // The server keeps the answer until it knows that all of it can be had: an error comes with its own status.
      var settings = [("wait_end_of_query", "1")]
      if text.utf8.count > Self.mostQueryBytes { settings.append(("max_query_size", "\(2 * text.utf8.count)")) }
      _ = try await ask(settings, body: Array(text.utf8), inDatabase: inDatabase) { bytes in
        try state.withLock { state in
          try state.reader.read(bytes) { try fold(&state.value, $0) }
        }
      }
      return try state.withLock { state in
        try state.reader.finish()
        return state.value
      }
    } catch let error as TabSeparatedReader.Broken {
      throw ClickHouseError.nonsense(server: server.address, reason: error.reason)
    }
  }

  /// The rows of a query, for answers that are short.
  package func rows(
    _ query: String, parameters: [String: SQLValue] = [:], inDatabase: Bool = true
  ) async throws -> [ClickHouseRow] {
    try await select(query, parameters: parameters, inDatabase: inDatabase, into: []) { $0.append($1) }
  }

  /// What the server is and knows.
  package func facts(inDatabase: Bool = true) async throws -> ServerFacts {
    if let facts = known.withLock({ $0 }) { return facts }
    let names = ServerFacts.askedSettings.map { SQLText.literal(.text($0)) }.joined(separator: ", ")
    let version = try await rows("SELECT version() AS version", inDatabase: inDatabase).first?.text("version")
    let settings = try await rows(
      "SELECT name FROM system.settings WHERE name IN (\(names))", inDatabase: inDatabase
    ).map { try $0.text("name") }
    let facts = ServerFacts(version: version ?? "", settings: Set(settings))
    known.withLock { $0 = facts }
    return facts
  }

  /// Sends a request and returns the answer of a server that did what was asked.
  private func ask(
    _ parameters: [(name: String, value: String)], body: [UInt8], isPacked: Bool = false, inDatabase: Bool = true,
    take: (@Sendable (UnsafeRawBufferPointer) throws -> Void)? = nil
  ) async throws -> HTTPAnswer {
    let query = ((inDatabase ? [("database", server.database)] : []) + parameters)
      .map { "\($0)=\(ClickHouseServer.escaped($1))" }.joined(separator: "&")
    var request = HTTPRequest(url: "\(server.address)/?\(query)", body: body)
    request.headers = [
      ("X-ClickHouse-User", server.user), ("Content-Type", "application/octet-stream"), ("User-Agent", "stallwatch"),
    ]
    if let password = server.password { request.headers.append(("X-ClickHouse-Key", password.text)) }
    if isPacked || body.count >= Self.packedFrom {
      if !isPacked { request.body = Gzip.packed(body, effort: .least) }
      request.headers.append(("Content-Encoding", "gzip"))
    }
    request.connectPatience = server.connectPatience
    request.patience = server.patience
    request.certificates = server.certificates
    request.mostBytes = take == nil ? Self.mostBytes.plain : Self.mostBytes.query
    let answer: HTTPAnswer
    do {
      answer = try await connection.answer(to: request, take: take)
    } catch let error as HTTPError {
      throw self.error(error)
    }
    guard answer.isSuccess else { throw ClickHouseError.complaint(answer, server: server.address) }
    guard answer.headers.keys.contains(where: { $0.hasPrefix("x-clickhouse-") }) else {
      throw nonsense("no header of ClickHouse's", answer.body)
    }
    // What goes wrong after the head was sent comes in the body.
    if let code = answer.headers["x-clickhouse-exception-code"] {
      throw ClickHouseError.refused(server: server.address, code: Int(code) ?? 0, reason: "exception \(code)")
    }
    return answer
  }

  private func nonsense(_ what: String, _ body: [UInt8]) -> ClickHouseError {
    let text = ClickHouseError.oneLine(String(decoding: body.prefix(80), as: UTF8.self))
    if let (code, reason) = ClickHouseError.exception(in: String(decoding: body, as: UTF8.self)) {
      return .refused(server: server.address, code: code, reason: reason)
    }
    return .nonsense(server: server.address, reason: text.isEmpty ? what : "\(what): \(text)")
  }

  private func error(_ error: HTTPError) -> ClickHouseError {
    let name = server.address
    return switch error {
    case .noLibrary: .noLibrary
    case .unusableAddress(let reason): .unusable("\(name): \(reason)")
    case .unreachable(let reason): .unreachable(server: name, reason: reason)
    case .untrusted(let reason): .untrusted(server: name, reason: reason)
    case .tooSlow: .tooSlow(server: name, patience: server.patience)
    case .brokenOff(let reason): .brokenOff(server: name, reason: reason)
    case .tooLong: .tooLong(server: name)
    }
  }
}
