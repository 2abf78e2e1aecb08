import FlyingSocks
import Foundation

/// Serves the live page on this machine only, to clients that know the token.
///
/// Reads requests itself instead of using a library's server: every server examined reads a line or a body of any
/// length, or keeps any number of connections, before it asks whether the client is authorised.
struct PageServer: Sendable {
  /// 128 random bits, which nobody on this machine can guess.
  private let token: String
  private let page: LivePage
  private let feed: ChangeFeed
  private let metrics: LiveMetrics?
  private let port: UInt16
  private let connections = OpenConnections()

  /// The pause after an error in accepting, mostly too many open files. One connection is closed before it.
  private static let pauseAfterError = Duration.milliseconds(100)

  /// Serves until its task is cancelled. Calls `ready` with the page's address once the page can be opened. Throws
  /// ``Failure`` when the port is not available.
  static func run(
    _ page: LivePage, feed: ChangeFeed, metrics: LiveMetrics?, port: UInt16, ready: (String) throws -> Void
  ) async throws {
    let (listener, bound) = try listen(on: port)
    defer { try? listener.close() }
    let token = (0..<4).map { _ in
      let part = String(UInt32.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 8 - part.count) + part
    }.joined()
    let server = PageServer(token: token, page: page, feed: feed, metrics: metrics, port: bound)
    let pool: some AsyncSocketPool = SocketPool.make()
    try await pool.prepare()
    let waiting = try AsyncSocket(socket: listener, pool: pool)
    try ready("http://127.0.0.1:\(bound)/\(token)/")
    try await withThrowingTaskGroup { group in
      group.addTask { try await pool.run() }
      group.addTask { try await server.accept(from: waiting) }
      try await group.next()
      group.cancelAll()
    }
  }

  private static func listen(on port: UInt16) throws -> (Socket, UInt16) {
    do {
      let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
      let socket = try Socket(domain: Int32(sockaddr_in.family), type: .stream)
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: address)
      try socket.listen()
      guard case .ip4(_, let bound) = try socket.sockname() else { throw Failure(.unable, "cannot listen on IPv4") }
      return (socket, bound)
    } catch SocketError.failed(_, _, let reason) {
      throw Failure(.unable, "cannot listen on port \(port) of 127.0.0.1: \(reason); choose another port with --port")
    }
  }

  private func accept(from listener: AsyncSocket) async throws {
    while true {
      do {
        let connection = PageConnection(try await listener.accept())
        await connections.add { number in await connection.serve { head in await answer(head, number) } }
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        await connections.endOldest()
        try await Task.sleep(for: Self.pauseAfterError)
      }
    }
  }

  private func answer(_ request: RequestHead, _ connection: Int) async -> PageAnswer {
    // Another site may point its name at this address (DNS rebinding). Its pages then send that name as the host.
    guard ["127.0.0.1:\(port)", "localhost:\(port)"].contains(request.host), request.method == "GET" else {
      return .nothing
    }
    // Any program of this machine may scrape. It gets one page however often it asks.
    if let metrics, request.path == "/metrics" { return await metrics.answer(to: request) }
    let parts = request.path.split(separator: "/")
    guard let given = parts.first, Self.isEqual(String(given), token) else { return .nothing }
    await connections.trust(connection)
    switch parts.dropFirst() {
    case []: return Self.answer(await page.current(), kind: "text/html; charset=utf-8")
    case ["events"]:
      return PageAnswer(status: "200 OK", kind: "text/event-stream", body: .events(await feed.events()))
    case let words:
      guard let detail = await page.detail(Array(words)) else { return .nothing }
      return Self.answer(detail, kind: "application/json")
    }
  }

  private static func answer(_ answer: LivePage.Answer, kind: String) -> PageAnswer {
    answer.failure == nil
      ? PageAnswer(status: "200 OK", kind: kind, body: .whole(answer.text))
      : PageAnswer(status: "503 Service Unavailable", kind: "text/plain; charset=utf-8", body: .whole(answer.text))
  }

  /// Compares in constant time for tokens of the right length.
  private static func isEqual(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    guard given.count == token.count else { return false }
    return zip(given, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
