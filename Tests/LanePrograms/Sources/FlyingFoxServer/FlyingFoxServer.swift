// flyingfox-server PORT
//
// A FlyingFox server on loopback. `GET /sleep` blocks a thread of Swift's pool for 200 ms, `GET /` does not, and neither does
// `GET /empty`. SIGTERM kills it.

import FlyingFox
import Foundation

@inline(never) @_optimize(none)
func renderTemplate() -> Data {
  usleep(200_000)
  return Data("rendered\n".utf8)
}

@main
struct FlyingFoxServer {
  static func main() async throws {
    guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]) else {
      FileHandle.standardError.write(Data("usage: flyingfox-server PORT\n".utf8))
      exit(2)
    }
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
    await server.appendRoute("/") { _ in HTTPResponse(statusCode: .ok, body: Data("hello\n".utf8)) }
    // FlyingFox sends head and body one after the other without TCP_NODELAY, and a client that delays its acknowledgement of
    // the head gets the body 40 ms later. What has no body comes at once.
    await server.appendRoute("/empty") { _ in HTTPResponse(statusCode: .ok) }
    await server.appendRoute("/sleep") { _ in HTTPResponse(statusCode: .ok, body: renderTemplate()) }
    try await server.run()
  }
}
