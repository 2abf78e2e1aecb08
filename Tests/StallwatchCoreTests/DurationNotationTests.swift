import StallwatchCore
import Testing

@Suite struct DurationNotationTests {
  @Test(
    arguments: [
      ("250ms", 250_000_000), ("2s", 2_000_000_000), ("16.667ms", 16_667_000), ("50us", 50_000), ("50µs", 50_000),
      ("7ns", 7), ("1.5min", 90_000_000_000), ("0.5h", 1_800_000_000_000), ("0s", 0), ("1.9999999999s", 1_999_999_999),
      ("0.1ns", 0),
    ] as [(String, Nanoseconds)])
  func aNumberAndAUnitAreADuration(text: String, expected: Nanoseconds) {
    #expect(DurationNotation.parse(text) == expected)
  }

  @Test(arguments: [
    "", "5", "ms", "-5ms", "+5ms", "5 ms", "1e3ms", ".5s", "5.s", "1.2.3s", "5m", "0x5s", "٥s", "99999999999999999999s",
    "18446744074s", "5msms",
  ])
  func anythingElseIsNone(text: String) {
    #expect(DurationNotation.parse(text) == nil)
  }

  @Test(arguments: [0, 1, 999, 1_000, 50_000, 16_667_000, 250_000_000, 2_000_000_000, 90_000_000_001] as [Nanoseconds])
  func whatIsWrittenIsReadBack(duration: Nanoseconds) {
    #expect(DurationNotation.parse(DurationNotation.exact(duration)) == duration)
  }

  @Test func theLargestUnitIsWrittenWithoutLoss() {
    #expect(DurationNotation.exact(16_667_000) == "16.667ms")
    #expect(DurationNotation.exact(2_000_000_000) == "2s")
    #expect(DurationNotation.exact(50_000) == "50us")
    #expect(DurationNotation.exact(1_000_000_001) == "1.000000001s")
  }
}
