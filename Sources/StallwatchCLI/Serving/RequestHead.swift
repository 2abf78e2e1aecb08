import Foundation

/// The head of an HTTP/1.1 request (RFC 9112), as far as a page needs it. Rejects anything else, and anything that two
/// parsers could read in two ways.
struct RequestHead: Equatable {
  /// The method, as `GET`.
  let method: String
  /// The path from the first slash on, without the query.
  let path: String
  /// The `Host` field: the name under which the browser knows this server.
  let host: String
  /// The `Accept` fields in lower case, one after the other: what the client can read. Empty where it does not say.
  let accept: String

  /// The longest head, in bytes. Browsers send some hundred.
  static let longest = 8_192
  /// The most header fields.
  private static let mostFields = 64

  /// The length of the head at the start of `bytes`; nil where its end has not arrived. Examines only the bytes after
  /// the first `seen`.
  static func length(in bytes: [UInt8], seen: Int) -> Int? {
    var place = max(seen - 3, 0)
    while place + 4 <= bytes.count {
      if bytes[place...].starts(with: [13, 10, 13, 10]) { return place + 4 }
      place += 1
    }
    return nil
  }

  /// Parses `bytes`, which end with the empty line; nil where they are not a valid head.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count <= Self.longest, bytes.allSatisfy(Self.isText),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    // Swift treats a carriage return with its line feed as one character.
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast(2)
    guard let first = lines.first, lines.count <= Self.mostFields + 1,
      !lines.contains(where: { $0.contains { $0.isNewline } })
    else { return nil }

    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    // A page asks with a path alone; a request that also names a server takes this one for a proxy.
    guard words.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]), words[1].hasPrefix("/") else { return nil }
    method = String(words[0])
    path = String(words[1].prefix { $0 != "?" && $0 != "#" })

    var (hosts, accepted): ([Substring], [String]) = ([], [])
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex, line[..<colon].utf8.allSatisfy(Self.isName)
      else { return nil }
      switch line[..<colon].lowercased() {
      case "host": hosts.append(line[line.index(after: colon)...])
      case "accept": accepted.append(line[line.index(after: colon)...].lowercased())
      default: break
      }
    }
    guard hosts.count == 1, let host = hosts.first else { return nil }
    accept = accepted.joined(separator: ",")
    self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
  }

  /// Whether a head may contain this byte. Bytes beyond ASCII count as UTF-8.
  private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || [9, 10, 13].contains(byte) }

  /// Whether a field name may contain this byte (`tchar` of RFC 9110).
  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
