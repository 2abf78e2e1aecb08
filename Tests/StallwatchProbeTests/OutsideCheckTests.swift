import StallwatchCore
import Testing

@testable import StallwatchProbe

@Suite("Looks for a run in a new mode, while a thread does without its loop,")
struct OutsideCheckTests {
  private let configuration = ProbeConfiguration()

  @Test("come every threshold at first, and at most a minute apart in the end")
  func pauses() {
    let threshold = configuration.threshold
    #expect(configuration.outsideCheckPause(after: 0) == threshold)
    #expect(configuration.outsideCheckPause(after: 100 * threshold) == threshold)
    #expect(configuration.outsideCheckPause(after: 200 * threshold) == 4 * threshold)
    #expect(configuration.outsideCheckPause(after: .max) == 60 * .second)
  }

  @Test("are no more than four a minute after two minutes")
  func afterTwoMinutes() {
    var (now, looks) = (0 * Nanoseconds.second, 0)
    while now < 180 * .second {
      now += configuration.outsideCheckPause(after: now)
      if (120 * .second..<180 * .second).contains(now) { looks += 1 }
    }
    #expect(looks <= 4)
  }
}
