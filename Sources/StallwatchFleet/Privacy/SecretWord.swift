/// A name that must not leave, and the mark that takes its place.
struct SecretWord: Sendable {
  private let bytes: [UInt8]
  private let mark: [UInt8]

  /// A word, in upper or lower case; nil where it is too short to be recognised among other text, or identifies nobody.
  init?(_ word: String, mark: String, harmless: Set<String>) {
    let folded = word.lowercased()
    guard folded.utf8.count >= 2, !harmless.contains(folded) else { return nil }
    (bytes, self.mark) = (Array(folded.utf8), Array(mark.utf8))
  }

  /// A user's name. The names of system accounts and of accounts in images identify nobody.
  static func user(_ name: String) -> SecretWord? {
    SecretWord(
      name, mark: "<user>",
      harmless: [
        "root", "main", "nobody", "daemon", "bin", "sys", "app", "user", "users", "admin", "node", "nginx", "www-data",
        "default", "ubuntu", "debian", "runner", "shared", "guest", "service",
      ])
  }

  /// A host's name, and also without its domain where it has one.
  static func hosts(_ name: String) -> [SecretWord] {
    let short = name.split(separator: ".").first.map(String.init) ?? ""
    let names = short == name || short.isEmpty || short.allSatisfy(\.isNumber) ? [name] : [name, short]
    return names.compactMap {
      SecretWord($0, mark: "<host>", harmless: ["localhost", "localhost.localdomain", "main", "default", "unknown"])
    }
  }

  /// Whether the text contains its letters, perhaps within another word.
  func isIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= bytes.count else { return false }
    for place in 0...(text.count - bytes.count) where Self.folded(text[place]) == bytes[0] {
      if matches(text, at: place) { return true }
    }
    return false
  }

  /// The text with the mark in place of the word, where it is a word of its own and no part of a longer one.
  func replaced(in text: [UInt8]) -> [UInt8] {
    text.withUnsafeBufferPointer { text in
      guard isIn(text) else { return Array(text) }
      var result: [UInt8] = []
      var (done, place) = (0, 0)
      while place + bytes.count <= text.count {
        let end = place + bytes.count
        guard matches(text, at: place), begins(at: place, in: text), ends(at: end, in: text) else {
          place += 1
          continue
        }
        result += text[done..<place]
        result += mark
        (done, place) = (end, end)
      }
      return result + text[done...]
    }
  }

  private func matches(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    bytes.indices.allSatisfy { Self.folded(text[place + $0]) == bytes[$0] }
  }

  private func begins(at place: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    // %2F is a slash.
    place == 0 || place >= 3 && text[place - 3] == UInt8(ascii: "%") || Self.divides(text[place - 1], text[place])
  }

  private func ends(at place: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    place == text.count || Self.divides(text[place - 1], text[place])
  }

  /// Whether a word ends between two bytes: beside anything but letters and digits, between letters and digits, and
  /// between a small letter and a capital.
  private static func divides(_ left: UInt8, _ right: UInt8) -> Bool {
    let (before, after) = (Kind(left), Kind(right))
    return before == .other || after == .other || (before == .digit) != (after == .digit)
      || before == .small && after == .capital
  }

  /// What a byte is. Letters beyond ASCII are `other`, so that a word ends beside them.
  private enum Kind {
    case small, capital, digit, other

    init(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      default: self = .other
      }
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
