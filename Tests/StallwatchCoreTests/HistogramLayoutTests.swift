import StallwatchCore
import Testing

@Suite("The histogram layout")
struct HistogramLayoutTests {
  @Test("puts every duration between its counter's bounds")
  func bounds() {
    var duration: Nanoseconds = 1
    while duration < HistogramLayout.highestTrackable {
      for value in [duration - 1, duration, duration + 1] {
        let index = HistogramLayout.index(of: value)
        #expect(HistogramLayout.lowestDuration(at: index) <= value)
        if index + 1 < HistogramLayout.bucketCount {
          #expect(value < HistogramLayout.lowestDuration(at: index + 1))
        }
      }
      duration = duration * 3 / 2 + 1
    }
  }

  @Test("ends at its last counter, for longer durations too")
  func end() {
    #expect(HistogramLayout.index(of: HistogramLayout.highestTrackable) == HistogramLayout.bucketCount - 1)
    #expect(HistogramLayout.index(of: .max) == HistogramLayout.bucketCount - 1)
    #expect(HistogramLayout.index(of: 0) == 0)
  }
}
