// hummingbird-server PORT
//
// A Hummingbird server on loopback. `GET /sleep` blocks a thread of Swift's pool for 200 ms; `GET /price` asks an actor that
// blocks for 80 ms each time; `GET /` does neither. Ends in an orderly way at SIGTERM, and logs where it listens.

import Foundation
import Hummingbird

@inline(never) @_optimize(none)
func readReport() -> String {
  usleep(200_000)
  return "the report"
}

actor PriceList {
  private var asked = 0

  @inline(never) @_optimize(none)
  func lookUpPrice() -> Int {
    usleep(80_000)
    asked += 1
    return 42
  }
}

@main
struct HummingbirdServer {
  static func main() async throws {
    guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
      FileHandle.standardError.write(Data("usage: hummingbird-server PORT\n".utf8))
      exit(2)
    }
    let prices = PriceList()
    let router = Router()
    router.get("/") { _, _ in "hello" }
    router.get("/sleep") { _, _ in readReport() }
    router.get("/price") { _, _ in "\(await prices.lookUpPrice())" }
    let application = Application(
      router: router,
      configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: "hummingbird-server"))
    try await application.runService()
    print("hummingbird-server: the end")
  }
}
