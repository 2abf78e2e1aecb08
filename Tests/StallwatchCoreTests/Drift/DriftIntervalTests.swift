import StallwatchCore
import Testing

@Suite("An interval of the drift probe")
struct DriftIntervalTests {
  @Test("is a duration from 10 ms to 1 h, or off", arguments: ["10ms", "100ms", "1s", "1h", "off"])
  func good(text: String) throws {
    let interval = try #require(DriftInterval(text))
    #expect(try #require(DriftInterval(interval.text)) == interval)
  }

  @Test("is nothing else", arguments: ["9ms", "0s", "2h", "100", "OFF", "", "none", "-1s"])
  func bad(text: String) { #expect(DriftInterval(text) == nil) }

  @Test("is nil when the probe is off")
  func off() {
    #expect(DriftInterval("off")?.nanoseconds == nil)
    #expect(DriftInterval("250ms")?.nanoseconds == 250.ms)
  }
}
