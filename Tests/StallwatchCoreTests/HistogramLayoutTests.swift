import Testing

@testable import StallwatchCore

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

  @Test("has the same counters as the groups in which they lie")
  func groups() {
    var duration: Nanoseconds = 1
    while duration < HistogramLayout.highestTrackable {
      for value in [duration - 1, duration, duration + 1] {
        let place = CounterGroups.place(of: value)
        #expect(place.group * CounterGroups.size + place.counter == HistogramLayout.index(of: value))
      }
      duration = duration * 9 / 8 + 1
    }
    let last = CounterGroups.place(of: HistogramLayout.highestTrackable)
    #expect(last == (CounterGroups.perHistogram - 1, CounterGroups.size - 1))
  }
}
