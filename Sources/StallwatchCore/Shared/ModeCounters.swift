/// The profile of one mode of one loop. Its numbers and sums only grow, and its counters until they are retired
/// (``RetiredCounters``), so that no rate of iterations can overflow them. The loop's thread writes; the watchdog reads
/// and subtracts.
package struct ModeCounters: @unchecked Sendable {
  struct Fields: ~Copyable, SharedFields {
    let entries: SharedWord
    let iterations: SharedWord
    let starved: SharedWord
    /// How many groups of counters the metrics have taken.
    let groups: SharedWord
  }

  /// The zeroed memory that a mode takes: 86 KB, of which the system backs only touched pages, mostly the first two.
  package static let byteCount = groupsOffset + groupsByteCount
  /// The memory of all groups that the metrics can take, in bytes.
  static let groupsByteCount = Metric.count * CounterGroups.perHistogram * CounterGroups.groupByteCount
  /// Where the metrics' counters begin, behind their fields and directories.
  private static var groupsOffset: Int { Fields.byteCount + Metric.count * SharedMetric.byteCount }

  /// The mode's place in its loop's table, from 0.
  package let index: Int
  private let memory: UnsafeMutableRawPointer

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(index: Int, memory: UnsafeMutableRawPointer) {
    self.index = index
    self.memory = memory
  }

  /// Where they lie; no other counters lie there at the same time.
  @inline(__always)
  var address: UInt { UInt(bitPattern: memory) }

  @inline(__always)
  private var fields: UnsafeMutablePointer<Fields> { Fields.bind(memory) }

  @inline(__always)
  private var groups: CounterGroups {
    CounterGroups(taken: Fields.last(fields), memory: memory + Self.groupsOffset)
  }

  /// The samples of a metric.
  @inline(__always)
  package subscript(_ metric: Metric) -> SharedMetric {
    SharedMetric(memory: memory + (Fields.byteCount &+ Int(metric.rawValue) &* SharedMetric.byteCount), groups: groups)
  }

  /// The memory that the taken groups take, in bytes.
  var groupsMemory: Int { Int(fields.pointee.groups.load()) * CounterGroups.groupByteCount }

  /// How many runs were entered.
  package var entries: UInt64 { fields.pointee.entries.load() }
  /// How many iterations began.
  package var iterations: UInt64 { fields.pointee.iterations.load() }
  /// Time for which this mode's own sources could not run because a nested mode ran.
  package var starved: Nanoseconds { fields.pointee.starved.load() }

  /// Empties the counters for another mode, once no thread can be in this one any more. Leaves unused parts untouched,
  /// so that no memory backs them.
  package func clear() {
    groups.clear()
    for metric in Metric.allCases { self[metric].clear() }
    Fields.clear(fields)
  }

  // MARK: For the loop's thread

  /// Moves the histograms' counters to `retired`, and counts anew; numbers, sums and longest samples stay.
  package func retire(to retired: RetiredCounters) { retired.take(groups) { self[$0].directory } }

  @inline(__always)
  func entered() { fields.pointee.entries.add(1) }
  @inline(__always)
  func iterated() { fields.pointee.iterations.add(1) }
  @inline(__always)
  func starve(_ duration: Nanoseconds) { fields.pointee.starved.add(duration) }
  /// Adds a sample of a metric.
  func record(_ metric: Metric, _ duration: Nanoseconds) { self[metric].recordLongest(duration) }
  /// Adds a sample of a metric as ``SharedMetric/recordUsual(_:)`` does.
  @inline(__always)
  func recordUsual(_ metric: Metric, _ duration: Nanoseconds) -> Bool { self[metric].recordUsual(duration) }
}
