/// The profile of one mode of one loop. Its counters only grow, so that no rate of iterations can overflow them. The
/// loop's thread writes; the watchdog reads and subtracts.
package struct ModeCounters: @unchecked Sendable {
  struct Fields: ~Copyable, SharedFields {
    let entries: SharedWord
    let iterations: SharedWord
    let starved: SharedWord
    /// Keeps the words of each metric, which follow, within one cache line.
    private let unused: SharedWord
  }

  /// The zeroed memory that a mode takes: 86 KB, of which the system backs only touched pages.
  package static let byteCount = histograms + Metric.count * SharedMetric.histogramByteCount
  /// Where the metrics' histograms begin, behind their fields.
  private static var histograms: Int { Fields.byteCount + Metric.count * SharedMetric.Fields.byteCount }

  /// The mode's place in its loop's table, from 0.
  package let index: Int
  private let memory: UnsafeMutableRawPointer

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(index: Int, memory: UnsafeMutableRawPointer) {
    self.index = index
    self.memory = memory
  }

  @inline(__always)
  private var fields: UnsafeMutablePointer<Fields> { Fields.bind(memory) }

  /// The samples of a metric.
  @inline(__always)
  package subscript(_ metric: Metric) -> SharedMetric {
    let place = Int(metric.rawValue)
    return SharedMetric(
      fields: SharedMetric.Fields.bind(memory + Fields.byteCount + place * SharedMetric.Fields.byteCount),
      histogram: memory + Self.histograms + place * SharedMetric.histogramByteCount)
  }

  /// How many runs were entered.
  package var entries: UInt64 { fields.pointee.entries.load() }
  /// How many iterations began.
  package var iterations: UInt64 { fields.pointee.iterations.load() }
  /// Time for which this mode's own sources could not run because a nested mode ran.
  package var starved: Nanoseconds { fields.pointee.starved.load() }

  /// Empties the counters for another mode, once no thread can be in this one any more. Leaves unused parts untouched,
  /// so that no memory backs them.
  package func clear() {
    for metric in Metric.allCases { self[metric].clear() }
    Fields.clear(fields)
  }

  // MARK: For the loop's thread

  @inline(__always)
  func entered() { fields.pointee.entries.add(1) }
  @inline(__always)
  func iterated() { fields.pointee.iterations.add(1) }
  @inline(__always)
  func starve(_ duration: Nanoseconds) { fields.pointee.starved.add(duration) }
  @inline(__always)
  func record(_ metric: Metric, _ duration: Nanoseconds) { self[metric].record(duration) }
}
