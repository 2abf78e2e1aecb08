import Foundation

/// An answer to a request, after which the connection ends.
struct PageAnswer {
  /// What follows the head.
  enum Body {
    /// A text that is there.
    case whole(Data)
    /// Events as they come (HTML Living Standard, "Server-sent events").
    case events(AsyncStream<String>)
  }

  /// Code and its name, as `200 OK`.
  let status: String
  /// What kind of text follows.
  let kind: String
  /// The text.
  let body: Body

  /// Whoever has no business here learns nothing, not even that there is a store.
  static let nothing = PageAnswer(status: "404 Not Found", kind: "text/plain", body: .whole(Data("not found\n".utf8)))

  /// What stands before the body.
  var head: Data {
    var lines = [
      "HTTP/1.1 \(status)",
      "Content-Type: \(kind)",
      "Cache-Control: no-store",
      "Connection: close",
      "Content-Security-Policy: frame-ancestors 'none'",
      "Cross-Origin-Resource-Policy: same-origin",
      "Referrer-Policy: no-referrer",
      "X-Content-Type-Options: nosniff",
    ]
    switch body {
    case .whole(let text): lines.append("Content-Length: \(text.count)")
    case .events: lines.append("X-Accel-Buffering: no")
    }
    return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
