import Foundation

/// An HTTP response, after which the connection closes.
struct PageAnswer {
  /// The body of a response.
  enum Body {
    /// A complete text.
    case whole(Data)
    /// Events as they happen (HTML Living Standard, "Server-sent events").
    case events(AsyncStream<String>)
  }

  /// Status code and reason, as `200 OK`.
  let status: String
  /// The content type.
  let kind: String
  let body: Body

  /// The answer without a valid token. It reveals nothing, not even that there is a store.
  static let nothing = PageAnswer(status: "404 Not Found", kind: "text/plain", body: .whole(Data("not found\n".utf8)))

  /// Status line and header fields.
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
