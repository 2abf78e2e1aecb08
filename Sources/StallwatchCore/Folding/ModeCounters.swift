/// The profile of one mode of one loop. Its counters only grow, so that no rate of iterations can overflow them. The
/// loop's thread writes; the watchdog reads and subtracts.
package struct ModeCounters: @unchecked Sendable {
  /// The zeroed memory that a mode takes: 86 KB, of which the system backs only touched pages.
  package static let byteCount = wordCount * 8 + Metric.count * SharedHistogram.byteCount

  /// The mode's place in its loop's table, from 0.
  package let index: Int
  let words: SharedWords
  private let histograms: UnsafeMutableRawPointer

  private enum Word {
    static let entries = 0
    static let iterations = 1
    static let starved = 2
    static let metrics = 3
    static let perMetric = 4
  }
  private static let wordCount = Word.metrics + Word.perMetric * Metric.count + 1

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(index: Int, memory: UnsafeMutableRawPointer) {
    self.index = index
    words = SharedWords(memory: memory, count: Self.wordCount)
    histograms = memory + Self.wordCount * 8
  }

  /// How many runs were entered.
  package var entries: UInt64 { words.load(Word.entries) }
  /// How many iterations began.
  package var iterations: UInt64 { words.load(Word.iterations) }
  /// Time for which this mode's own sources could not run because a nested mode ran.
  package var starved: Nanoseconds { words.load(Word.starved) }
  /// How many samples a metric has. A later read finds at least these samples.
  package func count(of metric: Metric) -> UInt64 { words.acquire(Self.word(metric)) }
  /// The sum of these samples, in nanoseconds.
  package func total(of metric: Metric) -> Nanoseconds { words.load(Self.word(metric) + 1) }
  /// The longest sample, in nanoseconds.
  package func maximum(of metric: Metric) -> Nanoseconds { words.load(Self.word(metric) + 2) }
  /// How many samples the counter at `index` of ``HistogramLayout`` has; wraps around at 2^32.
  package func bucket(_ metric: Metric, _ index: Int) -> UInt32 { histogram(of: metric)[index] }

  @inline(__always)
  func histogram(of metric: Metric) -> SharedHistogram {
    SharedHistogram(
      used: words.address(of: Self.word(metric) + 3),
      memory: histograms + Int(metric.rawValue) * SharedHistogram.byteCount)
  }

  /// Empties the counters for another mode, once no thread can be in this one any more. Leaves unused parts untouched,
  /// so that no memory backs them.
  package func clear() {
    for metric in Metric.allCases { histogram(of: metric).clear() }
    for word in 0..<Self.wordCount { words.store(word, 0) }
  }

  @inline(__always)
  func entered() { words.add(Word.entries, 1) }
  @inline(__always)
  func iterated() { words.add(Word.iterations, 1) }
  @inline(__always)
  func starve(_ duration: Nanoseconds) { words.add(Word.starved, duration) }

  @inline(__always)
  func record(_ metric: Metric, _ duration: Nanoseconds) {
    let word = Self.word(metric)
    histogram(of: metric).add(duration)
    words.add(word + 1, duration)
    if duration > words.load(word + 2) { words.store(word + 2, duration) }
    // Last, and in order: a reader that has seen the count has seen the rest, so that nothing hides behind an unchanged
    // count.
    words.release(word, words.load(word) &+ 1)
  }

  @inline(__always)
  private static func word(_ metric: Metric) -> Int { Word.metrics + Word.perMetric * Int(metric.rawValue) }
}
