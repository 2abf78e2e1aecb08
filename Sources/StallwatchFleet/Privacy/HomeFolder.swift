/// Finds home folders in paths by the usual places of home folders.
enum HomeFolder {
  /// Whether a byte divides a path.
  static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

  /// The parts of a path, without empty ones.
  static func parts(_ path: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] { path.split(whereSeparator: isSeparator) }

  /// How many of a path's parts make up the home folder that contains it, or that it is; nil where there is none.
  ///
  /// - Parameters:
  ///   - isRooted: Whether a separator stands before the first part.
  ///   - known: The parts of home folders that lie elsewhere.
  static func length(
    in parts: [ArraySlice<UInt8>], isRooted: Bool, known: [[ArraySlice<UInt8>]] = []
  ) -> Int? {
    // The last one: the parts before it go with it.
    let places = parts.indices.filter { place in
      place + 1 < parts.count && (place > 0 || isRooted) && parents.contains { equal($0, parts[place]) }
    }
    if let last = places.last { return last + 2 }
    guard isRooted else { return nil }
    if let first = parts.first, equal("root", first) { return 1 }
    return known.first { parts.starts(with: $0, by: { $0.elementsEqual($1) }) }?.count
  }

  /// The names of the users whose home folders appear in a text.
  static func users(in text: String) -> [String] {
    let parts = parts(Array(text.utf8)[...])
    return parts.indices.dropFirst().compactMap { place in
      guard parents.contains(where: { equal($0, parts[place - 1]) }) else { return nil }
      return String(decoding: parts[place], as: UTF8.self)
    }
  }

  private static let parents = ["home", "users"]

  private static func equal(_ word: String, _ part: ArraySlice<UInt8>) -> Bool {
    part.count == word.utf8.count && zip(part, word.utf8).allSatisfy { ($0 | 0x20) == $1 }
  }
}
