/// The names under which SQLite opens a file for reading. Paths are absolute.
enum DatabaseURI {
  /// Opens the file alone and assumes that it never changes: no lock, no log, no file beside it.
  static func immutable(_ path: String) -> String { escaped(path) + "?mode=ro&immutable=1" }

  /// Opens the file together with its log.
  static func readOnly(_ path: String) -> String { escaped(path) + "?mode=ro" }

  private static func escaped(_ path: String) -> String {
    var uri = "file://"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        uri += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return uri
  }
}
