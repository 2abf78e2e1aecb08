import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

@Suite struct DisplayTextTests {
  @Test(arguments: HandMadeContents.hostileNames)
  func nothingThatATerminalActsOnIsLeft(name: String) {
    let shown = DisplayText.harmless(name)
    for scalar in shown.unicodeScalars {
      #expect(![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory))
    }
  }

  /// A mark makes another character of the one before it for Swift, but not for who reads a table, a page or a label.
  @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{20E3}"]) func marksHideNothing(mark: String) throws {
    let name = "a<\(mark)b|\(mark)c\"\(mark)d'\(mark)e`\(mark)f;\(mark)g,\(mark)h:\(mark)i\\\(mark)j@\(mark)k/\(mark)/"
    let bare: (String, String) -> Bool = { text, marked in
      text.unicodeScalars.indices.contains { text.unicodeScalars[$0] == marked.unicodeScalars.first }
    }
    for marked in ["<", "\"", "'"] { #expect(!bare(HTMLText.escaped(name), marked), "\(marked)") }
    let markdown = MarkdownRenderer.escaped("||\(mark)`\(mark)")
    #expect(markdown.unicodeScalars.count { $0 == "\\" } == 3)
    #expect(!bare(MarkdownRenderer.escaped(name), "<"))
    #expect(!bare(MarkdownRenderer.escaped(name), "@"))
    #expect(HTMLText.inScript("<\(mark)>") == "\\u003c\(mark)\\u003e")
    #expect(ShellWord.quoted("'\(mark)") == "''\\''\(mark)'")
  }

  @Test func plainTextStaysAsItIs() {
    #expect(DisplayText.harmless("worker 1 – größer") == "worker 1 – größer")
  }

  @Test func aLetterKeepsAtMostTwoMarks() {
    #expect(DisplayText.harmless("a" + String(repeating: "\u{301}", count: 50)).unicodeScalars.count == 3)
  }

  @Test func wideLettersTakeTwoColumnsAndMarksNone() {
    #expect(DisplayText.width(of: "abc") == 3)
    #expect(DisplayText.width(of: "日本") == 4)
    #expect(DisplayText.width(of: "e\u{301}") == 1)
    #expect(DisplayText.width(of: "🙂") == 2)
    #expect(DisplayText.width(of: "└ …") == 3)
  }

  @Test func aLongTextIsCutWithAnEllipsis() {
    #expect(DisplayText.cut("abcdef", to: 6) == "abcdef")
    #expect(DisplayText.cut("abcdef", to: 4) == "abc…")
    #expect(DisplayText.cut("日本語", to: 4) == "日…")
    #expect(DisplayText.cut("abc", to: 0) == "")
  }

  @Test func linesAreBrokenAtSpacesButNotBetweenFigureAndUnit() {
    #expect(DisplayText.wrap("one two three", to: 8) == ["one two", "three"])
    #expect(DisplayText.wrap("lasted for 234 µs, at most", to: 15) == ["lasted for", "234 µs, at most"])
    #expect(DisplayText.wrap("abcdefghij k", to: 5) == ["abcd…", "k"])
    #expect(DisplayText.wrap("see /a/long/path now", to: 6, cutsWords: false) == ["see", "/a/long/path", "now"])
    #expect(DisplayText.wrap("", to: 5) == [])
  }

  @Test func aNameIsNeverEmpty() {
    #expect(DisplayText.name("") == "(no name)")
    #expect(DisplayText.name("  ") == "(no name)")
    #expect(DisplayText.name("main") == "main")
  }
}
