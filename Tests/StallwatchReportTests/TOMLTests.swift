import Testing

@testable import StallwatchReport

/// TOML 1.0, by the examples and the rules of its specification.
@Suite struct TOMLTests {
  private func value(_ text: String) throws -> BudgetValue {
    guard case .table(let table) = try BudgetValue(toml: text) else { return .other }
    return table["x"] ?? .other
  }

  @Test(arguments: [
    ("0", 0), ("-17", -17), ("+1_000", 1_000), ("0xDEAD_beef", 3_735_928_559), ("0o17", 15), ("0b101", 5), ("1.5", 1.5),
    ("-0.0", 0), ("6.626e-34", 6.626e-34), ("1e06", 1e6), ("inf", .infinity), ("-inf", -.infinity),
    ("9223372036854775807", 9_223_372_036_854_775_808),
  ])
  func numbers(text: String, expected: Double) throws { #expect(try value("x = \(text)") == .number(expected)) }

  @Test(arguments: [
    (#""a\tb \u00e9 \U0001F600 \"q\"""#, "a\tb é 😀 \"q\""), (#"'C:\no\escape'"#, #"C:\no\escape"#),
    ("\"\"\"\ntwo\nlines\"\"\"", "two\nlines"), ("\"\"\"one \\\n\n   line\"\"\"", "one line"),
    ("\"\"\"a \"\" b\"\"\"\"\"", "a \"\" b\"\""), ("'''a '' b'''", "a '' b"), ("\"\"", ""),
  ])
  func texts(text: String, expected: String) throws { #expect(try value("x = \(text)") == .text(expected)) }

  @Test func daysTimesAndTruths() throws {
    #expect(try value("x = 2024-02-29") == .date("2024-02-29"))
    for text in [
      "true", "false", "07:32:00", "00:32:00.999999", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00",
      "1979-05-27T00:32:00-07:00",
    ] {
      #expect(try value("x = \(text)") == .other, "\(text)")
    }
  }

  @Test func tables() throws {
    let text = """
      \u{FEFF}a.b = 1 # by a dotted key\r
      "" = 2
      [c."d.e".f]
      g = [1, [2,], # in between
        {h.i = 3}]
      [c]
      j = {}
      [[k]]
      l = 4
      [[k]]
      [k.m]
      n = 5
      """
    let one = { (key: String, value: BudgetValue) in BudgetValue.table([key: value]) }
    #expect(
      try BudgetValue(toml: text)
        == .table([
          "a": one("b", .number(1)), "": .number(2),
          "c": .table([
            "d.e": one("f", one("g", .list([.number(1), .list([.number(2)]), one("h", one("i", .number(3)))]))),
            "j": .table([:]),
          ]),
          "k": .list([one("l", .number(4)), one("m", one("n", .number(5)))]),
        ]))
  }

  @Test(arguments: [
    "[.a]", "[a.]", "[]", "[a", "[[a]", "[,]", "[=]", "[{a=1}]", "= 1", "a", "a =", "a = b", "a = 1 2", "a = 01",
    "a = 1.",
    "a = .1", "a = 1__0", "a = _1", "a = 0x", "a = +0x1", "a = 9223372036854775808", "a = 1e", "a = [1", "a = [,]",
    "a = {b = 1,}", "a = {b = 1\n}", "a = \"", "a = \"b", "a = 'b\n'", "a = \"\\x\"", "a = \"\\uD800\"",
    "a = \"\u{1}\"",
    "a = 1\na = 2", "a.b = 1\na = 2", "a = 1\na.b = 2", "[a]\n[a]", "[[a]]\n[a]", "[a]\n[[a]]", "a = {b = 1}\na.c = 2",
    "a = {}\n[a.b]", "[a.b]\n[a]\nb.c = 1", "a = []\n[[a]]", "a = 2023-02-29", "a = 24:00:00", "a = 1979-05-27T",
    "# \u{1}",
    "a = 1\rb = 2", "a = \"\"\"b", "\u{E9} = 1", "a = tru", "a = 1979-05-27 07:32",
  ])
  func whatIsNoneIsRefused(text: String) { #expect(throws: TOMLError.self) { try BudgetValue(toml: text) } }

  @Test func theLineIsNamed() {
    #expect(throws: TOMLError(line: 3, message: "has '.' where a key should be")) {
      try BudgetValue(toml: "a = 1\n\n[.b]\n")
    }
  }

  @Test func depthIsBounded() {
    for text in [
      "a = " + String(repeating: "[", count: 30_000), "a = " + String(repeating: "{a=", count: 15_000),
      String(repeating: "a.", count: 30_000) + "a = 1", "[" + String(repeating: "a.", count: 30_000) + "a]",
    ] {
      #expect(throws: TOMLError.self) { try BudgetValue(toml: text) }
    }
  }
}
