/// Makes text from a recorded program fit for a terminal: harmless, and of known width.
package enum DisplayText {
  /// `text` with `�` for every scalar that a terminal could act on: control characters, escape sequences, direction
  /// marks, invisible and private characters. Keeps at most two combining marks per letter.
  package static func harmless(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var result = String.UnicodeScalarView()
    var marks = 0
    for scalar in text.unicodeScalars {
      marks = isMark(scalar) ? marks + 1 : 0
      if marks > 2 { continue }
      result.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
    }
    return String(result)
  }

  /// `text` with each Unicode scalar replaced that has a replacement. Works on scalars because a combining mark makes
  /// `|` another character for Swift, but not for the reader of a table, a page or a label.
  package static func replaced(_ text: String, by replacement: (Unicode.Scalar) -> String?) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let replaced = replacement(scalar) {
        result.append(contentsOf: replaced.unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// The number of columns that harmless `text` takes: two for wide letters and emoji, none for combining marks.
  package static func width(of text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + width(of: $1) }
  }

  /// `text` cut to at most `width` columns, with `…` in place of the rest.
  package static func cut(_ text: String, to width: Int) -> String {
    if self.width(of: text) <= width { return text }
    guard width > 0 else { return "" }
    var (kept, used) = ("", 0)
    for character in text {
      let next = self.width(of: character)
      if used + next > width - 1 { break }
      kept.append(character)
      used += next
    }
    return kept + "…"
  }

  /// A name from a recorded program, harmless, cut to `width` columns, and never empty.
  package static func name(_ text: String, to width: Int = .max) -> String {
    let shown = cut(harmless(text), to: width)
    return shown.allSatisfy(\.isWhitespace) ? "(no name)" : shown
  }

  /// `text` in lines of at most `width` columns, broken at spaces but not between a figure and its unit. A longer word
  /// is cut, or, where `cutsWords` is false (a path to copy), stays whole on its own line.
  package static func wrap(_ text: String, to width: Int, indent: String = "", cutsWords: Bool = true) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in wordsWithUnits(text) {
      let word = cutsWords ? cut(word, to: width - self.width(of: indent)) : word
      if line.isEmpty {
        line = (lines.isEmpty ? "" : indent) + word
      } else if self.width(of: line) + 1 + self.width(of: word) <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = indent + word
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The words of `text`; a unit stays with the figure before it.
  private static func wordsWithUnits(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: []) { words, word in
      let isUnit = units.contains(word.prefix { $0.isLetter || $0 == "%" })
      if isUnit, let last = words.last?.last, last.isNumber {
        words[words.count - 1] += " " + word
      } else {
        words.append(String(word))
      }
    }
  }

  private static let units: Set<Substring> = ["ns", "µs", "ms", "s", "min", "h", "d", "%"]

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  private static func width(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.isASCII { return 1 }
    if isMark(first) { return 0 }
    if first.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// The blocks whose letters take two columns (East Asian Width W and F of Unicode's UAX #11, by block).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x17000...0x18AFF, 0x1B000...0x1B2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}
