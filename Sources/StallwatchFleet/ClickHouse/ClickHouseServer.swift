import StallwatchLibc

/// Which ClickHouse to ask, and as whom.
package struct ClickHouseServer: Sendable {
  /// `http://host:port` or `https://…`, without anything else.
  package let address: String
  package let database: String
  package var user: String
  /// Never printed: see ``Secret``.
  package var password: Secret?
  /// A file with the certificates that are trusted; nil for the system's.
  package var certificates: String?
  /// How long to wait until connected, and for the whole answer.
  package var connectPatience = Duration.seconds(10)
  package var patience = Duration.seconds(120)

  /// A text that nobody shall see: it is never printed.
  package struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    let text: String
    package init(_ text: String) { self.text = text }
    package var description: String { "…" }
    package var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// A server by its URL: `https://user@host:8443/database`. The port is by default the one that ClickHouse has for the
  /// scheme, 8123 or 8443; the database and the user are by default `default`. Throws ``ClickHouseError/unusable(_:)``.
  package init(url: String) throws {
    func unusable(_ reason: String) -> ClickHouseError {
      .unusable("\(reason); write it like https://user@host:8443/database")
    }
    guard let schemeEnd = url.firstRange(of: "://") else { throw unusable("the server's URL has no scheme") }
    let scheme = url[..<schemeEnd.lowerBound].lowercased()
    guard ["http", "https"].contains(scheme) else {
      throw unusable("the server's URL must begin with http:// or https://")
    }
    let rest = url[schemeEnd.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let tail = rest[authority.endIndex...]
    let path = tail.drop { $0 == "/" }
    guard !path.contains(where: { "/?#".contains($0) }), tail.first != "?", tail.first != "#" else {
      throw unusable("the server's URL has more than a database behind its host")
    }
    let at = authority.lastIndex(of: "@")
    let host = at.map { authority[authority.index(after: $0)...] } ?? authority
    let user = at.map { authority[..<$0] } ?? ""
    guard !user.contains(":") else {
      throw unusable(
        "the server's URL has a password, which everybody on this machine could read; give it in a file or in the "
          + "environment")
    }
    let (name, port) = Self.parts(of: host)
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }) else {
      throw unusable("the server's URL has no host")
    }
    if let port, UInt16(port) ?? 0 == 0 { throw unusable("'\(port)' is no port") }
    guard let database = Self.unescaped(path.isEmpty ? "default" : path),
      let user = Self.unescaped(user.isEmpty ? "default" : user)
    else { throw unusable("the server's URL has a broken escape") }
    guard !(database + user).unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      throw unusable("the server's URL has control characters")
    }
    address = "\(scheme)://\(name):\(port ?? (scheme == "https" ? "8443" : "8123"))"
    self.database = database
    self.user = user
  }

  /// The host and its port. An IPv6 address stands in brackets.
  private static func parts(of host: Substring) -> (name: Substring, port: Substring?) {
    let searched = host.hasPrefix("[") ? host[(host.firstIndex(of: "]") ?? host.startIndex)...] : host
    guard let colon = searched.lastIndex(of: ":") else { return (host, nil) }
    return (host[..<colon], host[host.index(after: colon)...])
  }

  /// A text of a URL with its escapes undone (RFC 3986, 2.1); nil where they are broken.
  private static func unescaped(_ text: Substring) -> String? {
    var (bytes, rest) = ([UInt8](), Substring(text).utf8[...])
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// A text for the query part of a URL (RFC 3986, 2.3).
  static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
