import StallwatchCore
import Testing

@Suite("A record")
struct RecordTests {
  @Test("is not larger than the growth of a profile and its kind: a queue holds hundreds, and each is copied")
  func size() {
    #expect(MemoryLayout<Record>.size <= MemoryLayout<ProfileDelta>.size + 1)
  }
}
