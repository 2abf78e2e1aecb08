/// The words of SQL: names, numbers, texts in quotes, and signs by themselves. Comments and spaces are none.
///
/// It sees a comment end where SQLite does: what a hostile store hides between two comments must not look like one.
struct SQLWords {
  /// The SQL, as UTF-8.
  let bytes: [UInt8]
  /// Where each word stands in it.
  let ranges: [Range<Int>]

  init(_ sql: some Sequence<UInt8>) {
    bytes = Array(sql)
    ranges = bytes.withUnsafeBufferPointer(Self.ranges)
  }

  /// The text from the first of these words to the last one, with what stands between them.
  subscript(words: Range<Int>) -> ArraySlice<UInt8> {
    bytes[ranges[words.lowerBound].lowerBound..<ranges[words.upperBound - 1].upperBound]
  }

  /// The same with the comments that follow the last one.
  func withComments(_ words: Range<Int>) -> ArraySlice<UInt8> {
    let end = words.upperBound < ranges.count ? ranges[words.upperBound].lowerBound : bytes.count
    var text = bytes[ranges[words.lowerBound].lowerBound..<end]
    while let last = text.last, Self.isSpace(last) { text.removeLast() }
    return text
  }

  /// What stands between the commas of the first list in parentheses: of a statement that makes a table, its columns and
  /// keys.
  var items: [Range<Int>] {
    var (items, depth, start): ([Range<Int>], Int, Int) = ([], 0, 0)
    for word in ranges.indices where ranges[word].count == 1 {
      switch bytes[ranges[word].lowerBound] {
      case UInt8(ascii: "("):
        depth += 1
        if depth == 1 { start = word + 1 }
      case UInt8(ascii: ","):
        guard depth == 1 else { continue }
        items.append(start..<word)
        start = word + 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return items + [start..<word] }
      default: continue
      }
    }
    return items
  }

  /// A word.
  subscript(word: Int) -> String { String(decoding: bytes[ranges[word]], as: UTF8.self) }

  private static func ranges(_ bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var place = 0
    /// The first place from `start` on whose byte ends what stands there.
    func end(from start: Int, _ isLast: (UInt8) -> Bool) -> Int {
      var end = start
      while end < bytes.count, !isLast(bytes[end]) { end += 1 }
      return end
    }
    while place < bytes.count {
      let (first, next) = (bytes[place], place + 1 < bytes.count ? bytes[place + 1] : 0)
      switch first {
      case _ where isSpace(first): place += 1
      case UInt8(ascii: "-") where next == first: place = end(from: place) { $0 == UInt8(ascii: "\n") }
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
        place += 2
        while place < bytes.count,
          !(bytes[place] == UInt8(ascii: "*") && place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "/"))
        {
          place += 1
        }
        place = min(place + 2, bytes.count)
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        let last = min(end(from: place + 1) { $0 == first } + 1, bytes.count)
        ranges.append(place..<last)
        place = last
      default:
        let last = max(end(from: place) { !isOfWord($0) }, place + 1)
        ranges.append(place..<last)
        place = last
      }
    }
    return ranges
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
