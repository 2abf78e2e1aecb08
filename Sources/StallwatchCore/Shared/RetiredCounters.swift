import Synchronization

/// The counters of a mode's histograms that the loop's thread has retired: what it counted until then, which changes no
/// more. The watchdog reads them once, and empties them.
///
/// Counters take memory for every group of durations that ever occurred, and so does the reading of their growth. Where
/// durations are rare but of many lengths, that would grow for days. So the watchdog asks a mode to retire its counters
/// once they take more than usual (``ask()``); the loop's thread does so at its next activity in this mode that looks at
/// what is rare, and counts anew. Nobody waits for the other.
package struct RetiredCounters: @unchecked Sendable {
  /// Who may touch the memory, and what comes next.
  enum State: UInt64 {
    /// It is empty. Next, the watchdog asks.
    case none
    /// It is empty, and the loop's thread may begin to fill it at any time.
    case asked
    /// The loop's thread fills it.
    case underWay
    /// It is the watchdog's, which empties it.
    case done
  }

  private struct Fields: ~Copyable, SharedFields {
    /// A ``State``. Whoever may take the next step writes it.
    let state: SharedWord
    /// How many groups of counters there are.
    let groups: SharedWord
  }

  /// The zeroed memory that they take, in bytes. The system backs it from a retirement to its reading alone.
  package static let byteCount = groupsOffset + ModeCounters.groupsByteCount
  private static let groupsOffset = Fields.byteCount + Metric.count * CounterGroups.directoryByteCount

  private let memory: UnsafeMutableRawPointer

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  package init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var fields: UnsafeMutablePointer<Fields> { Fields.bind(memory) }
  private var groups: CounterGroups {
    CounterGroups(taken: Fields.last(fields), memory: memory + Self.groupsOffset)
  }
  private func directory(of metric: Metric) -> CounterGroups.Directory {
    (memory + (Fields.byteCount + Int(metric.rawValue) * CounterGroups.directoryByteCount))
      .assumingMemoryBound(to: Atomic<UInt16>.self)
  }

  /// Empties all of it, for another mode, once no thread can be in this one any more. Leaves unused parts untouched, so
  /// that no memory backs them.
  package func clear() {
    guard state != .none else { return }
    groups.clear()
    for metric in Metric.allCases { CounterGroups.clear(directory(of: metric)) }
    Fields.clear(fields)
  }

  // MARK: For the loop's thread

  /// Whether the watchdog asks for the counters.
  @inline(__always)
  package var isAsked: Bool { fields.pointee.state.acquire() == State.asked.rawValue }

  /// Takes all counters, and leaves none. O(their groups): some microseconds for usual ones, 86 KB at most.
  func take(_ counters: CounterGroups, _ directories: (Metric) -> CounterGroups.Directory) {
    fields.pointee.state.store(State.underWay.rawValue)
    // Whoever reads a counter that is 0 by now sees that this is under way.
    atomicMemoryFence(ordering: .releasing)
    counters.move(to: groups)
    for metric in Metric.allCases { CounterGroups.move(directories(metric), to: directory(of: metric)) }
    fields.pointee.state.release(State.done.rawValue)
  }

  // MARK: For the watchdog

  /// Waits a moment for the end of a retirement that is under way: the loop's thread may have lost its processor in it.
  var state: State {
    for _ in 0..<Self.maximumReadings {
      let state = State(rawValue: fields.pointee.state.acquire()) ?? .none
      if state != .underWay { return state }
    }
    return .underWay
  }

  /// A retirement takes some microseconds, and so do this many readings.
  private static let maximumReadings = 4_000

  /// Whether what was read of the counters since they were asked for is whole: no retirement has begun.
  var isStillAsked: Bool {
    atomicMemoryFence(ordering: .acquiring)
    return fields.pointee.state.load() == State.asked.rawValue
  }

  /// Asks the loop's thread to retire the counters; none are retired now.
  func ask() { fields.pointee.state.release(State.asked.rawValue) }

  /// Passes a metric's counters that may differ from 0 to `body`, in ascending order, as long as it returns true.
  func forEachUsed(of metric: Metric, _ body: (_ index: Int, _ count: UInt32) -> Bool) {
    groups.forEachCounter(in: directory(of: metric), body)
  }
}
