import StallwatchCore
import Testing

@Suite("An interval that may be off")
struct IntervalSettingTests {
  @Test("is a duration from 10 ms to 1 h, or off", arguments: ["10ms", "100ms", "1s", "1h", "off"])
  func good(text: String) throws {
    let interval = try #require(IntervalSetting(text, in: .driftInterval))
    #expect(try #require(IntervalSetting(interval.text, in: .driftInterval)) == interval)
  }

  @Test("is nothing else", arguments: ["9ms", "0s", "2h", "100", "OFF", "", "none", "-1s"])
  func bad(text: String) { #expect(IntervalSetting(text, in: .driftInterval) == nil) }

  @Test("is nil when it is off")
  func off() {
    #expect(IntervalSetting("off", in: .sampleInterval)?.nanoseconds == nil)
    #expect(IntervalSetting("250ms", in: .sampleInterval)?.nanoseconds == 250.ms)
  }
}
