import FlyingFox
import FlyingSocks
import Foundation

/// Serves the live page on this machine alone, to whoever knows the token.
struct PageServer: HTTPHandler {
  /// 128 random bits: nobody on this machine guesses it.
  let token: String
  private let page: LivePage
  private let feed: ChangeFeed
  private let port: UInt16

  private init(token: String, page: LivePage, feed: ChangeFeed, port: UInt16) {
    self.token = token
    self.page = page
    self.feed = feed
    self.port = port
  }

  /// Serves until its task is cancelled; calls `ready` with the page's address when it can be opened. Throws ``Failure``
  /// when the port cannot be had.
  static func run(_ page: LivePage, feed: ChangeFeed, port: UInt16, ready: (String) throws -> Void) async throws {
    let server = HTTPServer(
      config: .init(address: try .inet(ip4: "127.0.0.1", port: port), timeout: pageTimeout, logger: .disabled))
    let running = Task { try await server.run() }
    do {
      try await server.waitUntilListening()
    } catch {
      // What kept it from listening says more than that it does not.
      do { try await running.value } catch { throw cannotListen(port, error) }
      throw cannotListen(port, error)
    }
    guard case .ip4(_, let bound) = await server.listeningAddress else { throw Failure(.unable, "cannot listen") }
    let token = (0..<4).map { _ in
      let part = String(UInt32.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 8 - part.count) + part
    }.joined()
    await server.appendRoute("*", to: PageServer(token: token, page: page, feed: feed, port: bound))
    try ready("http://127.0.0.1:\(bound)/\(token)/")
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      running.cancel()
    }
  }

  /// A page of a million stalls takes some ten seconds to make.
  private static let pageTimeout: TimeInterval = 120

  private static func cannotListen(_ port: UInt16, _ error: any Error) -> Failure {
    let reason = if case SocketError.failed(_, _, let message) = error { message } else { "\(error)" }
    return Failure(.unable, "cannot listen on port \(port) of 127.0.0.1: \(reason); choose another with --port")
  }

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    // A page of another site may have its name lead here (DNS rebinding): it says that name.
    let host = request.headers[.host] ?? ""
    guard ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) else { return Self.nothing }
    guard request.method == .GET else { return Self.nothing }
    // FlyingFox takes a slash at the end away.
    let parts = request.path.split(separator: "/")
    guard let given = parts.first, Self.isEqual(String(given), token) else { return Self.nothing }
    switch parts.dropFirst() {
    case []: return await pageAnswer()
    case ["events"]:
      var headers = Self.headers("text/event-stream")
      headers[HTTPHeader("X-Accel-Buffering")] = "no"
      return HTTPResponse(
        statusCode: .ok, headers: headers, body: HTTPBodySequence(from: EventBody(events: await feed.events())))
    default: return Self.nothing
    }
  }

  private func pageAnswer() async -> HTTPResponse {
    let answer = await page.current()
    let (code, kind): (HTTPStatusCode, String) =
      answer.failure == nil ? (.ok, "text/html") : (.serviceUnavailable, "text/plain")
    return HTTPResponse(
      statusCode: code, headers: Self.headers("\(kind); charset=utf-8"), body: Data(answer.text.utf8))
  }

  /// Whoever has no business here learns nothing, not even that there is a store.
  private static var nothing: HTTPResponse {
    HTTPResponse(statusCode: .notFound, headers: headers("text/plain"), body: Data("not found\n".utf8))
  }

  private static func headers(_ kind: String) -> HTTPHeaders {
    [
      .contentType: kind,
      HTTPHeader("Cache-Control"): "no-store",
      HTTPHeader("Content-Security-Policy"): "frame-ancestors 'none'",
      HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
      HTTPHeader("Referrer-Policy"): "no-referrer",
      HTTPHeader("X-Content-Type-Options"): "nosniff",
    ]
  }

  /// Takes as long for every wrong token of the right length.
  private static func isEqual(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    guard given.count == token.count else { return false }
    return zip(given, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
