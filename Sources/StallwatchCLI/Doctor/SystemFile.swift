import StallwatchLibc

/// Reads the small files in which the kernel reports its state (`/proc`, `/sys`).
enum SystemFile {
  /// More bytes than any of these files has.
  private static let mostBytes = 65_536

  /// The file's text without surrounding spaces and line breaks; nil where it cannot be read.
  static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < mostBytes {
      let count = read(descriptor, &piece, piece.count)
      if count < 0 { return nil }
      if count == 0 { break }
      bytes += piece.prefix(count)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let first = text.firstIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(text[first...text.lastIndex { !$0.isWhitespace }!])
  }
}
