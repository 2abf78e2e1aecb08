import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Gets what feeds refer to, from a server of its own that takes its time.
final class Downloader: Sendable {
  static let shared = Downloader()

  private let address: URL

  private init() {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        precondition(bind(server, place, length) == 0 && listen(server, 8) == 0)
        getsockname(server, place, &length)
      }
    }
    address = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))/icon")!
    Thread.detachNewThread { Self.serve(server) }
  }

  private static func serve(_ server: Int32) {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nicon"
    while true {
      let client = accept(server, nil, nil)
      guard client >= 0 else { return }
      var request = [UInt8](repeating: 0, count: 4096)
      _ = read(client, &request, request.count)
      usleep(250_000)
      _ = write(client, answer, answer.utf8.count)
      close(client)
    }
  }

  @MainActor @inline(never) func loadIcon() {
    let data = try? Data(contentsOf: address)  // BUG url-data
    precondition(data?.count == 4)
  }

  @MainActor @inline(never) func loadTitle() {
    let text = try? String(contentsOf: address, encoding: .utf8)  // BUG url-text
    precondition(text == "icon")
  }
}
