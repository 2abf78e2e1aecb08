import StallwatchCore
import Testing

@Suite("Limits of what a store keeps, as texts")
struct RetentionLimitsTests {
  private let day = 86_400 * Nanoseconds.second

  @Test("an age, a size, both in any order, or all")
  func good() throws {
    #expect(RetentionLimits("7d") == RetentionLimits(maximumAge: 7 * day))
    #expect(RetentionLimits("64MB") == RetentionLimits(maximumSize: 64_000_000))
    #expect(RetentionLimits("12h,2GB") == RetentionLimits(maximumAge: day / 2, maximumSize: 2_000_000_000))
    #expect(RetentionLimits("2GB,12h") == RetentionLimits("12h,2GB"))
    #expect(RetentionLimits("all") == RetentionLimits(maximumAge: nil, maximumSize: nil))
    #expect(RetentionLimits() == RetentionLimits(maximumAge: 30 * day, maximumSize: 64_000_000))
  }

  @Test(
    "nothing else",
    arguments: ["", "7", "7d,", ",7d", "7d,8d", "1MB,2MB", "59min", "999KB", "-7d", "all,7d", "7d,64MB,1h", "7 d"])
  func bad(_ text: String) { #expect(RetentionLimits(text) == nil) }

  @Test("sizes have a whole number and a unit")
  func sizes() {
    #expect(SizeNotation.parse("64MB") == 64_000_000)
    #expect(SizeNotation.parse("3MiB") == 3 << 20)
    #expect(SizeNotation.parse("12B") == 12)
    for text in ["", "MB", "1.5MB", "-1MB", "1mb", "9223372036854775807KB"] { #expect(SizeNotation.parse(text) == nil) }
    for bytes in [0, 1, 999, 1_000, 64_000_000, 2_000_000_000, 1_234_567] as [Int64] {
      #expect(SizeNotation.parse(SizeNotation.exact(bytes)) == bytes)
    }
  }

  @Test("days are durations too")
  func days() { #expect(DurationNotation.parse("7d") == 7 * day) }
}
