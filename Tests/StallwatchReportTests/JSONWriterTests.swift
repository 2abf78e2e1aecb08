import Testing

@testable import StallwatchFormats

@Suite struct JSONWriterTests {
  private func text(_ body: (inout JSONWriter) throws -> Void) throws -> String {
    try JSONText { sink in
      var writer = JSONWriter(to: sink)
      try body(&writer)
      try writer.finish()
    }.text
  }

  @Test func objectsAndArraysAreIndented() throws {
    let written = try text { writer in
      try writer.object { writer in
        try writer.field("a", 1)
        try writer.list("b", [1, 2]) { try $0.value($1) }
        try writer.list("empty", [Int]()) { try $0.value($1) }
        try writer.key("c")
        try writer.object(inline: true) { writer in
          try writer.field("d", true)
          try writer.key("e")
          try writer.array { try $0.value("x") }
        }
        try writer.unknown("f")
      }
    }
    #expect(
      written == """
        {
          "a": 1,
          "b": [
            1,
            2
          ],
          "empty": [],
          "c": {"d": true, "e": ["x"]},
          "f": null
        }

        """)
  }

  @Test func stringsAreEscaped() throws {
    #expect(
      try text { try $0.value("a\"b\\c\n\t\r\u{1}\u{7F}\u{9B}\u{2028}é") }
        == #""a\"b\\c\n\t\r\u0001\u007f\u009b\u2028é""# + "\n")
  }

  @Test func numbersThatAreNoneAreNull() throws {
    #expect(try text { try $0.value(Double.nan) } == "null\n")
    #expect(try text { try $0.value(Double.infinity) } == "null\n")
    #expect(try text { try $0.value(UInt64.max) } == "18446744073709551615\n")
    #expect(try text { try $0.value(0.25) } == "0.25\n")
    #expect(try text { try $0.value(Int?.none) } == "null\n")
  }
}
