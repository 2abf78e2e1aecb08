import StallwatchCore
import Testing

@testable import StallwatchReport

@Suite struct MomentTests {
  @Test func datesAreThoseThatTimestampsWrite() {
    for seconds in [0, 951_782_400, 1_709_164_799, 1_777_630_830, 4_102_444_800] as [UInt64] {
      let text = Timestamp.rfc3339(seconds * .second + 5)
      #expect(Moment(text) == .date(seconds * .second + 5), "\(text)")
    }
  }

  @Test func timesOfDayAreOnADay() {
    let start: UInt64 = 1_777_630_830 * .second
    #expect(Moment("10:20:30")?.nanoseconds(onDayOf: start) == start)
    #expect(Moment("10:21")?.nanoseconds(onDayOf: start) == start + 30 * .second)
    #expect(Moment("00:00:00.25") == .timeOfDay(250 * .millisecond))
  }

  @Test(arguments: [
    "", "noon", "24:00", "1:05", "10:60", "10:00:60", "10:00:00.", "2026-13-01T00:00:00Z", "2026-05-01T10:20:30",
    "2026-05-01", "2026-05-01T10:20Z", "1969-12-31T00:00:00Z", "10:00:00.1234567890", "2026-05-01T10:20:30+02:00",
  ])
  func othersAreNone(text: String) {
    #expect(Moment(text) == nil)
  }
}
