import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

@Suite struct FigureTests {
  @Test(
    arguments: [
      (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (16_700_000, "16.7 ms"), (812_000_000, "812 ms"),
      (999_600_000, "1.00 s"), (3_204_000_000, "3.20 s"), (59_960_000_000, "60.0 s"), (125_000_000_000, "2 min 05 s"),
      (3_720_000_000_000, "1 h 02 min"), (90_000_000_000_000, "1 d 01 h"), (.max, "213503 d 23 h"),
    ] as [(Nanoseconds, String)])
  func durationsHaveThreeDigitsAndAUnit(duration: Nanoseconds, expected: String) {
    #expect(Figure.duration(duration) == expected)
  }

  @Test func whatIsNotKnownIsCalledUnknown() {
    #expect(Figure.duration(nil) == "unknown")
    #expect(Figure.share(nil) == "unknown")
    #expect(Figure.rate(nil) == "unknown")
    #expect(Figure.rate(.nan) == "unknown")
  }

  @Test(
    arguments: [
      (0, "0 %"), (0.0004, "<0.1 %"), (0.004, "0.4 %"), (0.123, "12 %"), (0.9894, "99 %"), (0.996, "99.6 %"),
      (0.99995, ">99.9 %"), (1, "100 %"),
    ] as [(Double, String)])
  func sharesAreNeverRoundedToNothingOrAll(share: Double, expected: String) {
    #expect(Figure.share(share) == expected)
  }

  @Test(
    arguments: [
      (0, "0"), (0.01, "<0.1"), (4.25, "4.3"), (99.96, "100"), (12_345.6, "12,346"),
      (1e300, "1.0e18"),
    ]
      as [(Double, String)])
  func ratesHaveOneDecimalBelowAHundred(rate: Double, expected: String) {
    #expect(Figure.rate(rate) == expected)
  }

  @Test func countsAreGroupedByThousands() {
    #expect(Figure.count(0) == "0")
    #expect(Figure.count(999) == "999")
    #expect(Figure.count(1_000) == "1,000")
    #expect(Figure.count(12_345_678) == "12,345,678")
    #expect(Figure.count(999_999_999_999) == "999,999,999,999")
    #expect(Figure.count(UInt64.max) == "1.8e19")
    #expect(Figure.count(1, "loop") == "1 loop")
    #expect(Figure.count(2_000, "loop") == "2,000 loops")
    #expect(Figure.times(1) == "once")
    #expect(Figure.times(14) == "14 times")
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000000000Z"), (1_777_630_830_123_456_789, "2026-05-01T10:20:30.123456789Z"),
      (1_709_164_800_000_000_000, "2024-02-29T00:00:00.000000000Z"),
      (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000000Z"),
    ] as [(UInt64, String)])
  func timesAreRFC3339InUTC(nanoseconds: UInt64, expected: String) {
    #expect(Timestamp.rfc3339(nanoseconds) == expected)
  }

  @Test func shellWordsAreQuotedWhereTheyMustBe() {
    #expect(ShellWord.quoted("a/b-c.stallwatch") == "a/b-c.stallwatch")
    #expect(ShellWord.quoted("my file") == "'my file'")
    #expect(ShellWord.quoted("it's") == "'it'\\''s'")
    #expect(ShellWord.quoted("") == "''")
  }
}
