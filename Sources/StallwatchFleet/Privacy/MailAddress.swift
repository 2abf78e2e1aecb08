/// Replaces e-mail addresses in texts.
enum MailAddress {
  static let mark = Array("<e-mail>".utf8)

  /// The text with a mark in place of each address: an @ (or `%40`), the name before it, and after it a domain of
  /// several labels or an Internet address.
  static func replaced(in text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    /// Up to where the text is in the result.
    var done = 0
    var place = 0
    while place < text.count {
      guard let size = sizeOfSign(at: place, in: text) else {
        place += 1
        continue
      }
      var start = place
      while start > done, isLocal(text[start - 1]) { start -= 1 }
      guard start < place, var end = endOfDomain(from: place + size, in: text) else {
        place += size
        continue
      }
      // The next address may begin within this one's domain.
      while end < text.count, let next = sizeOfSign(at: end, in: text) {
        end += next
        while end < text.count, isDomain(text[end]) { end += 1 }
      }
      result += text[done..<start] + mark
      (done, place) = (end, end)
    }
    return done == 0 ? text : result + text[done...]
  }

  /// The length in bytes of the sign between name and domain; nil where none begins.
  private static func sizeOfSign(at place: Int, in text: [UInt8]) -> Int? {
    if text[place] == UInt8(ascii: "@") { return 1 }
    return text[place] == UInt8(ascii: "%") && text[place...].starts(with: "%40".utf8) ? 3 : nil
  }

  /// Where the domain that begins at `start` ends, at the latest; nil where it is no domain: none of its labels but the
  /// first begins with two letters.
  private static func endOfDomain(from start: Int, in text: [UInt8]) -> Int? {
    var end = start
    while end < text.count, isDomain(text[end]) { end += 1 }
    while end > start, [UInt8(ascii: "."), UInt8(ascii: "-")].contains(text[end - 1]) { end -= 1 }
    let labels = text[start..<end].split(separator: UInt8(ascii: "."))
    let isNumber = labels.count >= 4 && labels.prefix(4).allSatisfy { $0.allSatisfy(isDigit) }
    let isName = labels.dropFirst().contains { label in
      label.count >= 2 && label.prefix(2).allSatisfy { isLetter($0) || $0 >= 0x80 }
    }
    return isNumber || isName ? end : nil
  }

  private static func isLocal(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte >= 0x80 || "!#$%&'*+-._^`{|}~".utf8.contains(byte)
  }

  private static func isDomain(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte >= 0x80 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
