// An HTTP server that knows nothing of Stallwatch, for tools/judge/servers.
//
//   http-server PORT
//
// Answers every request on loopback with a few bytes.

import FlyingFox
import Foundation

@main
struct ServerProgram {
  static func main() async throws {
    guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]) else {
      FileHandle.standardError.write(Data("usage: http-server PORT\n".utf8))
      exit(2)
    }
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
    await server.appendRoute("/") { _ in HTTPResponse(statusCode: .ok, body: Data("hello\n".utf8)) }
    try await server.run()
  }
}
