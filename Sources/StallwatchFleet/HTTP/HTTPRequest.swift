/// What is asked of a server over HTTP. A body makes it a POST.
package struct HTTPRequest: Sendable {
  package var url: String
  package var headers: [(name: String, value: String)] = []
  package var body: [UInt8]?
  /// How long to wait until connected, and until the whole answer is there.
  package var connectPatience = Duration.seconds(10)
  package var patience = Duration.seconds(60)
  /// The most bytes of an answer, unpacked.
  package var mostBytes = 64 << 20
  /// A file with the certificates that are trusted; nil for the system's.
  package var certificates: String?

  package init(url: String, body: [UInt8]? = nil) {
    self.url = url
    self.body = body
  }
}

/// What a server answered.
package struct HTTPAnswer: Sendable {
  package var status = 0
  /// Names in lower case. Of headers with one name, the last.
  package var headers: [String: String] = [:]
  package var body: [UInt8] = []

  /// Whether the server says that it did what was asked.
  package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why there is no answer. Reasons are the system's, in one line.
package enum HTTPError: Error, Equatable {
  /// The system has no libcurl.
  case noLibrary
  case unusableAddress(reason: String)
  case unreachable(reason: String)
  /// The server's certificate is not trusted, or there is no common TLS.
  case untrusted(reason: String)
  case tooSlow
  /// The connection ended within the exchange.
  case brokenOff(reason: String)
  /// The answer is longer than the request allows.
  case tooLong
}
