/// A request over HTTP: a POST where it has a body, else a GET.
package struct HTTPRequest: Sendable {
  package var url: String
  package var headers: [(name: String, value: String)] = []
  package var body: [UInt8]?
  /// How long to wait for the connection, and for the whole answer.
  package var connectPatience = Duration.seconds(10)
  package var patience = Duration.seconds(60)
  /// The most bytes of an answer, unpacked.
  package var mostBytes = 64 << 20
  /// A file with the certificates to trust; nil for the system's.
  package var certificates: String?

  package init(url: String, body: [UInt8]? = nil) {
    self.url = url
    self.body = body
  }
}

/// A server's answer.
package struct HTTPAnswer: Sendable {
  package var status = 0
  /// By names in lower case. Where a name occurs several times, the last one.
  package var headers: [String: String] = [:]
  package var body: [UInt8] = []

  /// Whether the status says that the request succeeded.
  package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why there is no answer. Reasons are the system's messages, in one line.
package enum HTTPError: Error, Equatable {
  /// The system has no libcurl.
  case noLibrary
  case unusableAddress(reason: String)
  case unreachable(reason: String)
  /// The server's certificate is not trusted, or there is no common TLS.
  case untrusted(reason: String)
  case tooSlow
  /// The connection ended before the whole answer was there.
  case brokenOff(reason: String)
  /// The answer is longer than the request allows.
  case tooLong
}
