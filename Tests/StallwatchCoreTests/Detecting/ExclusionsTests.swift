import StallwatchCore
import Testing

@Suite("Exclusions")
struct ExclusionsTests {
  @Test("take from an interval what they share with it")
  func overlap() {
    var exclusions = Exclusions()
    #expect(exclusions.overlap(from: 0, to: 1.s) == 0)
    exclusions.add(100..<200)
    exclusions.add(300..<400)
    #expect(exclusions.overlap(from: 0, to: 1_000) == 200)
    #expect(exclusions.overlap(from: 150, to: 350) == 100)
    #expect(exclusions.overlap(from: 120, to: 130) == 10)
    #expect(exclusions.overlap(from: 200, to: 300) == 0)
    #expect(exclusions.overlap(from: 400, to: 500) == 0)
    #expect(exclusions.overlap(from: 350, to: 150) == 0)
  }

  @Test("forget the oldest when there are more than fit")
  func capacity() {
    var exclusions = Exclusions()
    for index in 0...UInt64(Exclusions.capacity) { exclusions.add(index * 10..<index * 10 + 5) }
    #expect(exclusions.overlap(from: 0, to: 10) == 0)
    #expect(exclusions.overlap(from: 0, to: .max) == UInt64(Exclusions.capacity) * 5)
  }
}
