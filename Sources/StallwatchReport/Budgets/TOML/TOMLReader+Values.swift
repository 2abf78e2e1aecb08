extension TOMLReader {
  /// Reads the next value.
  mutating func value() throws(TOMLError) -> BudgetValue {
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try text())
    case UInt8(ascii: "["): return try deeper { (reader) throws(TOMLError) in try reader.list() }
    case UInt8(ascii: "{"): return try deeper { (reader) throws(TOMLError) in try reader.inlineTable() }
    default: break
    }
    let begin = self
    var word = String(decoding: take(while: Self.isPartOfWord), as: UTF8.self)
    guard !word.isEmpty else { throw unexpected(wanted: "a value") }
    // TOML allows a space between a day and a time.
    if Self.day(word) != nil, next == UInt8(ascii: " "), let digit = byte(after: 1), Self.isDigit(digit) {
      skip()
      word += "T" + String(decoding: take(while: Self.isPartOfWord), as: UTF8.self)
    }
    guard let value = Self.value(word) else {
      throw begin.error("has '\(DisplayText.name(word, to: 40))', which is not a value")
    }
    return value
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// The value of a word without quotes; nil where it is not a value.
  private static func value(_ word: String) -> BudgetValue? {
    if word == "true" || word == "false" { return .other }
    if let number = whole(word) ?? fraction(word) { return .number(number) }
    if let day = day(word) { return .date(day) }
    return isTime(word) ? .other : nil
  }

  /// A whole number that fits into 64 bits.
  private static func whole(_ word: String) -> Double? {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
      let digits = word.dropFirst(2)
      guard digits.first != "+", digits.first != "-" else { return nil }
      return withoutMarks(digits).flatMap { Int64($0, radix: radix) }.map(Double.init)
    }
    let digits = word.first == "+" || word.first == "-" ? word.dropFirst() : word[...]
    guard let plain = withoutMarks(digits), plain.utf8.allSatisfy(isDigit), plain == "0" || plain.first != "0" else {
      return nil
    }
    return Int64((word.first == "-" ? "-" : "") + plain).map(Double.init)
  }

  /// A number with a decimal point or an exponent, or `inf` or `nan`.
  private static func fraction(_ word: String) -> Double? {
    let sign = word.first == "-" ? -1.0 : 1
    let unsigned = word.first == "+" || word.first == "-" ? word.dropFirst() : word[...]
    if unsigned == "inf" { return sign * .infinity }
    if unsigned == "nan" { return .nan }
    let parts = unsigned.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, halves.count <= 2, parts.count + halves.count > 2 else { return nil }
    let exponent = parts.count == 2 ? parts[1].drop { $0 == "+" || $0 == "-" } : "0"
    guard parts.count == 1 || parts[1].utf8.count - exponent.utf8.count <= 1 else { return nil }
    for digits in halves + [exponent] {
      guard withoutMarks(digits)?.utf8.allSatisfy(isDigit) == true else { return nil }
    }
    guard halves[0] == "0" || halves[0].first != "0" else { return nil }
    return Double(word.filter { $0 != "_" })
  }

  /// The digits without underscores; nil where there is no digit, or where an underscore is not between two digits.
  private static func withoutMarks(_ digits: Substring) -> String? {
    guard !digits.isEmpty, digits.first != "_", digits.last != "_", !digits.contains("__") else { return nil }
    return digits.filter { $0 != "_" }
  }

  /// A calendar day, as `2027-01-31`; nil where no such day exists.
  private static func day(_ word: String) -> String? {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = figure(parts[0], 4), let month = figure(parts[1], 2),
      let day = figure(parts[2], 2), (1...12).contains(month)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    return (1...days).contains(day) ? word : nil
  }

  /// Whether the word is a time of day, or a day and time with or without an offset from UTC.
  private static func isTime(_ word: String) -> Bool {
    guard word.utf8.count > 10, word.dropFirst(10).first.map({ "Tt".contains($0) }) == true else {
      return isTimeOfDay(word[...])
    }
    guard day(String(word.prefix(10))) != nil else { return false }
    let time = word.dropFirst(11)
    if let last = time.last, last == "Z" || last == "z" { return isTimeOfDay(time.dropLast()) }
    guard let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return isTimeOfDay(time) }
    let distance = time[sign...].dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard distance.count == 2, let hours = figure(distance[0], 2), let minutes = figure(distance[1], 2) else {
      return false
    }
    return hours < 24 && minutes < 60 && isTimeOfDay(time[..<sign])
  }

  /// Whether the text is `07:32:00`, with or without a fraction of a second.
  private static func isTimeOfDay(_ text: Substring) -> Bool {
    let halves = text.split(separator: ".", omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: ":", omittingEmptySubsequences: false).map { figure($0, 2) }
    guard halves.count <= 2, halves.count == 1 || (!halves[1].isEmpty && halves[1].utf8.allSatisfy(isDigit)),
      parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2]
    else { return false }
    return hour < 24 && minute < 60 && second < 60
  }

  /// The number in a text of exactly `width` digits.
  private static func figure(_ text: Substring, _ width: Int) -> Int? {
    text.utf8.count == width && text.utf8.allSatisfy(isDigit) ? Int(text) : nil
  }
}
