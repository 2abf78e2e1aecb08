import Synchronization

/// What the items of one of Dispatch's lanes took: how long they waited, and how long they were served. Threads record at
/// the same time; the watchdog takes what was recorded out.
@usableFromInline
package struct LaneCounters: @unchecked Sendable {
  /// A duration of each item.
  @usableFromInline
  package enum Duration: Int, Sendable {
    /// From being enqueued to its begin.
    case delay
    /// From its begin to its end.
    case service
  }

  @usableFromInline
  struct Fields: ~Copyable {
    @usableFromInline let total = Atomic<UInt64>(0)
    @usableFromInline let maximum = Atomic<UInt64>(0)
    /// Bits of the groups of counters that may differ from 0.
    @usableFromInline let lowGroups = Atomic<UInt64>(0)
    @usableFromInline let highGroups = Atomic<UInt64>(0)
  }

  /// The zeroed memory that a lane's counters take: 29 KB, of which the system backs touched pages. The fields of both
  /// durations come first: they fill one line of the caches.
  @inlinable package static var byteCount: Int { countersOffset(durations) }
  @inlinable static func countersOffset(_ number: Int) -> Int {
    durations * MemoryLayout<Fields>.stride + number * HistogramLayout.bucketCount * MemoryLayout<UInt32>.stride
  }
  /// How many durations there are: a constant, for what is computed of it is asked for with each item.
  @inlinable static var durations: Int { 2 }
  /// The counters that one bit stands for.
  @inlinable static var groupSize: Int { HistogramLayout.bucketCount / 128 }

  @usableFromInline let memory: UnsafeMutableRawPointer

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to a ``CacheLine``, which must never move or be freed while
  /// in use.
  @inlinable
  package init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  @inlinable @inline(__always)
  func fields(_ duration: Duration) -> UnsafeMutablePointer<Fields> {
    memory.assumingMemoryBound(to: Fields.self) + duration.rawValue
  }

  @inlinable @inline(__always)
  func counters(_ duration: Duration) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (memory + Self.countersOffset(duration.rawValue)).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  @inlinable @inline(__always)
  func groups(_ fields: UnsafeMutablePointer<Fields>, _ isHigh: Bool) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (UnsafeMutableRawPointer(fields) + (isHigh ? 24 : 16)).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// Adds a sample. Any thread: some ten nanoseconds, no lock.
  @inlinable
  package func record(_ duration: Duration, _ time: Nanoseconds) {
    let fields = fields(duration)
    let index = HistogramLayout.index(of: time)
    // Most calls of an actor wait for no time, and it takes as long to add 0.
    if time > 0 { fields.pointee.total.wrappingAdd(time, ordering: .relaxed) }
    var longest = fields.pointee.maximum.load(ordering: .relaxed)
    while time > longest {
      let (exchanged, found) = fields.pointee.maximum.weakCompareExchange(
        expected: longest, desired: time, ordering: .relaxed)
      if exchanged { break }
      longest = found
    }
    counters(duration)[index].wrappingAdd(1, ordering: .sequentiallyConsistent)
    let group = index / Self.groupSize
    let (bits, bit) = (groups(fields, group >= 64), UInt64(1) << UInt64(group & 63))
    // After the counter: whoever takes a bit that was set looks at the counter later.
    guard bits.pointee.load(ordering: .sequentiallyConsistent) & bit == 0 else { return }
    bits.pointee.bitwiseOr(bit, ordering: .sequentiallyConsistent)
  }

  /// What was recorded since the last call, as the growth of `metric`; nil when nothing was. A sample that is recorded
  /// at the same time may show its sum now and its counter at the next call. For the watchdog's thread.
  package func take(_ duration: Duration, as metric: Metric) -> MetricDelta? {
    let fields = fields(duration)
    var buckets: [(index: Int, count: UInt32)] = []
    for isHigh in [false, true] {
      var bits = groups(fields, isHigh).pointee.exchange(0, ordering: .sequentiallyConsistent)
      while bits != 0 {
        let group = bits.trailingZeroBitCount + (isHigh ? 64 : 0)
        bits &= bits - 1
        for index in group * Self.groupSize..<(group + 1) * Self.groupSize {
          let count = counters(duration)[index].exchange(0, ordering: .sequentiallyConsistent)
          if count > 0 { buckets.append((index, count)) }
        }
      }
    }
    guard !buckets.isEmpty else { return nil }
    return MetricDelta(
      metric: metric, count: buckets.reduce(0) { $0 + UInt64($1.count) },
      total: fields.pointee.total.exchange(0, ordering: .relaxed),
      maximum: fields.pointee.maximum.load(ordering: .relaxed), buckets: buckets)
  }
}
