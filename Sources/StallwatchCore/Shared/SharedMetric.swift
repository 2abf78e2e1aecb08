import Synchronization

/// The samples of one metric: their number, sum, longest, and a histogram. One thread records, others read. All numbers
/// only grow, but the counters of a mode are retired now and then (``RetiredCounters``).
///
/// The counters lie in groups, taken when a duration first falls into one: the cost of reading and clearing, and the
/// memory, follow what was recorded.
package struct SharedMetric: @unchecked Sendable {
  struct Fields: ~Copyable, SharedFields {
    /// How many samples there are. Stored last: a reader that has seen it has seen the rest of these samples.
    let count: SharedWord
    let total: SharedWord
    let maximum: SharedWord
    /// Last: the maximum, but at most the longest duration with a counter of its own: up to this, a duration's counter
    /// is the one that the layout computes.
    let ceiling: SharedWord
  }

  /// The zeroed memory that a metric takes besides its groups, in bytes.
  static let byteCount = Fields.byteCount + CounterGroups.directoryByteCount

  private let memory: UnsafeMutableRawPointer
  private let groups: CounterGroups

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use;
  /// `groups` has room for ``CounterGroups/perHistogram`` groups of this metric.
  @inline(__always)
  init(memory: UnsafeMutableRawPointer, groups: CounterGroups) {
    self.memory = memory
    self.groups = groups
  }

  @inline(__always)
  var fields: UnsafeMutablePointer<Fields> { Fields.bind(memory) }
  @inline(__always)
  var directory: CounterGroups.Directory {
    (memory + Fields.byteCount).assumingMemoryBound(to: Atomic<UInt16>.self)
  }

  /// How many samples there are. A later read finds at least these samples.
  package var count: UInt64 { fields.pointee.count.acquire() }
  /// The sum of these samples, in nanoseconds.
  package var total: Nanoseconds { fields.pointee.total.load() }
  /// The longest sample, in nanoseconds.
  package var maximum: Nanoseconds { fields.pointee.maximum.load() }
  /// The counter at `index` of ``HistogramLayout``; it wraps around at 2^32, and differences remain right.
  package subscript(index: Int) -> UInt32 { counter(at: index)?.pointee.load(ordering: .relaxed) ?? 0 }
  /// That counter; nil while its group is not taken.
  func counter(at index: Int) -> UnsafeMutablePointer<Atomic<UInt32>>? {
    let group = directory[index / CounterGroups.size].load(ordering: .relaxed)
    return group == 0 ? nil : groups.counter(index % CounterGroups.size, in: group)
  }

  /// Adds a sample. For the writing thread.
  @inline(__always)
  func record(_ duration: Nanoseconds) {
    if !recordUsual(duration) { recordLongest(duration) }
  }

  /// Adds a sample that is not the longest, and falls into a group that is taken: nearly every one. Returns false, and
  /// adds nothing, if it is another. For the writing thread.
  @inline(__always)
  func recordUsual(_ duration: Nanoseconds) -> Bool {
    guard duration <= SharedWord.own(Fields.last(fields)) else { return false }
    let place = CounterGroups.place(of: duration)
    // No atomic access, which would cost more: this thread alone writes it.
    let group = (memory + Fields.byteCount).load(fromByteOffset: place.group &* 2, as: UInt16.self)
    guard group != 0 else { return false }
    count(duration, in: groups.counter(place.counter, in: group))
    return true
  }

  /// Adds any sample. For the writing thread.
  @inline(never)
  func recordLongest(_ duration: Nanoseconds) {
    let capped = min(duration, HistogramLayout.highestTrackable)
    let place = CounterGroups.place(of: capped)
    let entry = directory + place.group
    let known = entry.pointee.load(ordering: .relaxed)
    if duration > fields.pointee.maximum.load() {
      fields.pointee.maximum.store(duration)
      fields.pointee.ceiling.store(capped)
    }
    count(duration, in: groups.counter(place.counter, in: known != 0 ? known : groups.take(for: entry.pointee)))
  }

  @inline(__always)
  private func count(_ duration: Nanoseconds, in counter: UnsafeMutablePointer<Atomic<UInt32>>) {
    counter.pointee.store(counter.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    fields.pointee.total.add(duration)
    fields.pointee.count.addReleasing(1)
  }

  /// Passes the counters that may differ from 0 to `body`, in ascending order, as long as it returns true.
  @inline(__always)
  func forEachUsed(_ body: (_ index: Int, _ count: UInt32) -> Bool) {
    groups.forEachCounter(in: directory, body)
  }

  /// Removes all samples, when no thread uses them any more. The groups' owner clears those.
  func clear() {
    CounterGroups.clear(directory)
    Fields.clear(fields)
  }
}
