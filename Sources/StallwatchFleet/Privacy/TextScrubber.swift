/// Removes from texts what must not leave: e-mail addresses, home folders, and the names of a session's host and users.
/// Costs one pass over a text that has none of these, and some microseconds for one that has.
struct TextScrubber: Sendable {
  /// Whether paths stay as they are.
  private let keepsPaths: Bool
  private let hosts: [SecretWord]
  private let users: [SecretWord]
  private let words: [SecretWord]
  private let homes: [[ArraySlice<UInt8>]]

  init(_ facts: PrivateFacts, allowing allowances: Set<Allowance>) {
    keepsPaths = allowances.contains(.paths)
    hosts = allowances.contains(.hosts) ? [] : SecretWord.hosts(facts.host)
    users = facts.users.compactMap(SecretWord.user)
    words = hosts + users
    homes = facts.homes.map { HomeFolder.parts(Array($0.utf8)[...]) }.filter { !$0.isEmpty }
  }

  /// A text that somebody set on purpose, such as a release: only addresses and home folders are removed.
  func label(_ text: String) -> String {
    changed(text, words: []) { spelled($0, words: [], cutsPaths: false) }
  }

  /// Any other text.
  func text(_ text: String) -> String {
    changed(text, words: words) { spelled($0, words: words, cutsPaths: false) }
  }

  /// The name of a function, or of several: names stay, and paths in them are shortened like those of source files.
  func code(_ text: String) -> String { changed(text, words: []) { spelled($0, words: [], cutsPaths: true) } }

  /// The path of a source file.
  func file(_ path: String) -> String {
    guard !path.isEmpty else { return path }
    let bytes = MailAddress.replaced(in: Array(path.utf8))
    return String(decoding: self.path(bytes[...], cuts: true), as: UTF8.self)
  }

  private func changed(_ text: String, words: [SecretWord], _ change: ([UInt8]) -> [UInt8]) -> String {
    var text = text
    let mayHave = text.withUTF8 { bytes in
      bytes.contains { Self.signs.contains($0) } || words.contains { $0.isIn(bytes) }
    }
    return mayHave ? String(decoding: change(Array(text.utf8)), as: UTF8.self) : text
  }

  /// A text without any of these bytes has neither an address nor a path.
  private static let signs: [UInt8] = Array("@/\\%".utf8)

  private func spelled(_ text: [UInt8], words: [SecretWord], cutsPaths: Bool) -> [UInt8] {
    let text = MailAddress.replaced(in: text)
    var result: [UInt8] = []
    var place = 0
    while place < text.count {
      if Self.delimiters.contains(text[place]) {
        result.append(text[place])
        place += 1
        continue
      }
      let end = text[place...].firstIndex { Self.delimiters.contains($0) } ?? text.count
      let piece = text[place..<end]
      result += isPath(piece) ? path(piece, cuts: cutsPaths) : words.reduce(Array(piece)) { $1.replaced(in: $0) }
      place = end
    }
    return result
  }

  /// Bytes that end a path in a text.
  private static let delimiters = Set(" \t\n\r\"'`(){}[]<>,;|=:!?".utf8)

  private func isPath(_ piece: ArraySlice<UInt8>) -> Bool {
    guard let first = piece.first, piece.contains(where: HomeFolder.isSeparator) else { return false }
    let parts = HomeFolder.parts(piece)
    let isRooted = HomeFolder.isSeparator(first)
    return isRooted && parts.count >= 2 || HomeFolder.length(in: parts, isRooted: isRooted, known: homes) != nil
  }

  /// A path without its home folder; where `cuts`, only its parts from `Sources` or `Tests` on, or its last two.
  private func path(_ path: ArraySlice<UInt8>, cuts: Bool) -> [UInt8] {
    if keepsPaths { return hosts.reduce(Array(path)) { $1.replaced(in: $0) } }
    let parts = HomeFolder.parts(path)
    let isRooted = path.first.map(HomeFolder.isSeparator) ?? false
    // A drive's letter comes before the root.
    let home = HomeFolder.length(in: parts, isRooted: isRooted || parts.first?.last == UInt8(ascii: ":"), known: homes)
    let rest = parts.dropFirst(home ?? 0).filter {
      !cuts || !$0.elementsEqual("..".utf8) && !$0.elementsEqual(".".utf8)
    }
    var result: [UInt8]
    if cuts {
      let root = rest.lastIndex { $0.elementsEqual("Sources".utf8) || $0.elementsEqual("Tests".utf8) }
      let kept = root.map { rest[$0...] } ?? rest.suffix(2)
      result =
        kept.isEmpty
        ? (home == nil ? Array(path) : [UInt8(ascii: "~")]) : Array(kept.joined(separator: [UInt8(ascii: "/")]))
    } else if home != nil {
      result = Array(([Array("~".utf8)[...]] + rest).joined(separator: [UInt8(ascii: "/")]))
    } else {
      result = Array(path)
    }
    return words.reduce(result) { $1.replaced(in: $0) }
  }
}
