import Foundation

/// What a browser asks for: the head of a request of HTTP/1.1 (RFC 9112), as far as a page needs it. Anything else, and
/// anything that two readers could understand in two ways, is no request.
struct RequestHead: Equatable {
  /// What is to be done, as `GET`.
  let method: String
  /// What it is to be done to, from the first slash on, without what follows a question mark.
  let path: String
  /// The name under which the browser knows this server.
  let host: String

  /// More bytes are no request for a page; browsers send some hundred.
  static let longest = 8_192
  /// More lines are none either.
  private static let mostFields = 64

  /// How many of `bytes` the head takes; nil where its end has not come yet. Looks only at what came since `seen` bytes
  /// were there.
  static func length(in bytes: [UInt8], seen: Int) -> Int? {
    var place = max(seen - 3, 0)
    while place + 4 <= bytes.count {
      if bytes[place...].starts(with: [13, 10, 13, 10]) { return place + 4 }
      place += 1
    }
    return nil
  }

  /// The head that `bytes` are, with the empty line at its end; nil where they are none.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count <= Self.longest, bytes.allSatisfy(Self.isText),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    // A carriage return with its line feed is one character.
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast(2)
    guard let first = lines.first, lines.count <= Self.mostFields + 1,
      !lines.contains(where: { $0.contains { $0.isNewline } })
    else { return nil }

    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    // A page asks with a path alone; whoever names a server there as well takes this one for a proxy.
    guard words.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]), words[1].hasPrefix("/") else { return nil }
    method = String(words[0])
    path = String(words[1].prefix { $0 != "?" && $0 != "#" })

    var hosts: [Substring] = []
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex, line[..<colon].utf8.allSatisfy(Self.isName)
      else { return nil }
      if line[..<colon].lowercased() == "host" { hosts.append(line[line.index(after: colon)...]) }
    }
    guard hosts.count == 1, let host = hosts.first else { return nil }
    self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
  }

  /// Whether a head may have that byte. Bytes beyond ASCII are taken for UTF-8.
  private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || [9, 10, 13].contains(byte) }

  /// Whether a field's name may have that byte (`tchar` of RFC 9110).
  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
