import StallwatchCore

/// Time covered by intervals that may overlap. Answers how much of a given interval is covered in O(log n).
struct CoveredTime {
  /// A stretch covered without a break, and how much time is covered before it.
  private struct Stretch {
    var start: Nanoseconds
    var end: Nanoseconds
    var before: Nanoseconds
  }

  private var stretches: [Stretch] = []

  /// Covers an interval. Call in the order of their starts.
  mutating func add(from start: Nanoseconds, until end: Nanoseconds) {
    guard let last = stretches.last else {
      return stretches.append(Stretch(start: start, end: max(start, end), before: 0))
    }
    if start <= last.end {
      stretches[stretches.count - 1].end = max(last.end, end)
    } else {
      let before = last.before + (last.end - last.start)
      stretches.append(Stretch(start: start, end: max(start, end), before: before))
    }
  }

  /// How much of the time between two moments is covered.
  func covered(from start: Nanoseconds, until end: Nanoseconds) -> Nanoseconds {
    end > start ? covered(until: end) - covered(until: start) : 0
  }

  private func covered(until moment: Nanoseconds) -> Nanoseconds {
    let next = stretches.partitioningIndex { $0.start >= moment }
    guard next > 0 else { return 0 }
    let stretch = stretches[next - 1]
    return stretch.before + (min(stretch.end, moment) - stretch.start)
  }
}
