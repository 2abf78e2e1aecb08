import StallwatchCore
import StallwatchSymbols

/// A dump of a process with names in place of addresses.
package struct DumpReport: Sendable {
  /// A thread with its functions.
  package struct Thread: Sendable {
    /// What was read of it.
    package var read: DumpedThread
    /// Its stack, leaf first; an inlined function is a frame of its own.
    package var frames: [Frame]
    /// The share of a processor that it took since the dump before; nil in the first dump.
    package var load: Double?

    /// Whether it differs from another thread only in its number, name and CPU time: both can be shown as one.
    package func looksLike(_ other: Thread) -> Bool {
      read.state == other.read.state && read.waitsFor == other.read.waitsFor && frames == other.frames
        && read.blockedOn == other.read.blockedOn && read.withoutStack == other.read.withoutStack
    }
  }

  /// What was read.
  package var dump: ProcessDump
  /// The threads, in the dump's order.
  package var threads: [Thread]
  /// Threads that wait for each other in a circle (``ProcessDump/deadlocks``).
  package var deadlocks: [[Thread]]
  /// What the process's own recording says of its lanes; nil where it is not recorded.
  package var recorded: RecordedLanes?
  /// The images whose functions have no names.
  package var symbolNotes: [SymbolNote]

  /// Names the addresses of `dump` by files from `search`, and compares with an earlier dump of the same process.
  package init(
    _ dump: ProcessDump, since earlier: ProcessDump? = nil, recorded: RecordedLanes? = nil,
    search: SymbolSearch = SymbolSearch()
  ) {
    let symbolicator = Symbolicator(images: dump.images, search: search)
    let before = Dictionary((earlier?.threads ?? []).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.dump = dump
    self.recorded = recorded
    threads = dump.threads.map { thread in
      Thread(
        read: thread, frames: symbolicator.frames(thread.frames),
        load: before[thread.id].flatMap { Self.load(thread, since: $0, time: dump.takenAt, earlier!.takenAt) })
    }
    let byID = Dictionary(threads.map { ($0.read.id, $0) }, uniquingKeysWith: { first, _ in first })
    deadlocks = dump.deadlocks.map { $0.compactMap { byID[$0.id] } }
    symbolNotes = symbolicator.obstacles.map { SymbolNote(path: $0.path, buildID: $0.buildID, obstacle: $1) }
      .sorted { ($0.path, $0.buildID ?? "") < ($1.path, $1.buildID ?? "") }
  }

  /// Whether work waits in the main queue that nobody serves: only the main thread may, and it is in no run loop. Nil where
  /// the queue or that thread's stack could not be read.
  package var hasUnservedMainQueue: Bool? {
    guard dump.workWaitsForMain == true else { return dump.workWaitsForMain }
    return threads.first(where: \.read.isMain).flatMap(Self.isInRunLoop).map { !$0 }
  }

  /// Whether a thread runs a run loop; nil where its stack does not show it.
  private static func isInRunLoop(_ thread: Thread) -> Bool? {
    let frames = thread.frames
    if frames.contains(where: { $0.name == "CFRunLoopRunSpecific" }) { return true }
    let isUnknown = frames.isEmpty || frames.contains(.cut) || frames.contains { $0.name == nil && $0.isSystem }
    return isUnknown ? nil : false
  }

  private static func load(
    _ thread: DumpedThread, since earlier: DumpedThread, time now: UInt64, _ before: UInt64
  ) -> Double? {
    guard let cpu = thread.cpu, let earlierCPU = earlier.cpu, now > before else { return nil }
    return Double(cpu.since(earlierCPU)) / Double(now - before)
  }

  /// The thread with this number; nil where there is none.
  package func thread(_ id: UInt64) -> Thread? { threads.first { $0.read.id == id } }

  /// The threads, with those that look alike together, in the order of the first of each group.
  package var groups: [[Thread]] {
    threads.reduce(into: []) { groups, thread in
      if let place = groups.firstIndex(where: { $0[0].looksLike(thread) }) {
        groups[place].append(thread)
      } else {
        groups.append([thread])
      }
    }
  }
}
