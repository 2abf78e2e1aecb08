import Testing

@testable import StallwatchSymbols

@Suite struct ByteCursorTests {
  @Test func numbersOfEveryWidthAreLittleEndian() {
    var cursor = ByteCursor([1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0x80])
    #expect(cursor.byte() == 1)
    #expect(cursor.number(2) == 2)
    #expect(cursor.number(4) == 3)
    #expect(cursor.number(8) == 0x8000_0000_0000_0004)
    #expect(cursor.isAtEnd && !cursor.isBroken)
  }

  @Test func numbersOfVariableLengthAreRead() {
    var cursor = ByteCursor([0xE5, 0x8E, 0x26, 0x02, 0x7E, 0xFF, 0x00, 0x81, 0x7F])
    #expect(cursor.unsigned() == 624_485)
    #expect(cursor.signed() == 2)
    #expect(cursor.signed() == -2)
    #expect(cursor.signed() == 127)
    #expect(cursor.signed() == -127)
  }

  @Test func whatIsMissingBreaksTheCursorAndNothingElse() {
    var cursor = ByteCursor([0xFF, 0xFF])
    #expect(cursor.unsigned() == 0x3FFF)
    #expect(cursor.isBroken)
    #expect(cursor.number(8) == 0)
    #expect(cursor.text() == "")
    cursor.skip(.max)
    cursor.move(to: -5)
    #expect(cursor.isAtEnd)
    #expect(ByteCursor([1, 2], from: 9).isBroken)
    var endless = ByteCursor([UInt8](repeating: 0x80, count: 100))
    _ = endless.signed()
    #expect(endless.isBroken)
  }
}
