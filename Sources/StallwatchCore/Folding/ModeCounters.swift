/// The profile of one mode of one loop: counters that only grow, so that no rate of iterations can overflow anything.
/// The loop's thread writes, the watchdog reads and subtracts.
public struct ModeCounters: @unchecked Sendable {
  /// How much zeroed memory a mode takes: 86 KB, of which only touched pages are backed.
  public static let byteCount = wordCount * 8 + Metric.count * SharedHistogram.byteCount

  /// The mode's place in its loop's table.
  public let index: Int
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
  public init(index: Int, memory: UnsafeMutableRawPointer) {
    self.index = index
    words = SharedWords(memory: memory, count: Self.wordCount)
    histograms = memory + Self.wordCount * 8
  }

  /// Runs entered.
  public var entries: UInt64 { words.load(Word.entries) }
  /// Iterations begun.
  public var iterations: UInt64 { words.load(Word.iterations) }
  /// Time for which this mode's own sources could not run because a nested mode ran.
  public var starved: Nanoseconds { words.load(Word.starved) }
  /// How many samples of a metric. What is read after it holds at least these samples.
  public func count(of metric: Metric) -> UInt64 { words.acquire(Self.word(metric)) }
  /// Their sum.
  public func total(of metric: Metric) -> Nanoseconds { words.load(Self.word(metric) + 1) }
  /// The longest.
  public func maximum(of metric: Metric) -> Nanoseconds { words.load(Self.word(metric) + 2) }
  /// How many of them are in a counter of ``HistogramLayout``.
  public func bucket(_ metric: Metric, _ index: Int) -> UInt32 { histogram(of: metric)[index] }

  @inline(__always)
  func histogram(of metric: Metric) -> SharedHistogram {
    SharedHistogram(
      used: words.address(of: Self.word(metric) + 3),
      memory: histograms + Int(metric.rawValue) * SharedHistogram.byteCount)
  }

  /// Makes it the counters of another mode, when no thread can be in it any more. What was not used is not touched, so that it
  /// is not backed by memory.
  public func clear() {
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
