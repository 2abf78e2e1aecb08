import StallwatchCore

/// What waits in Dispatch's queues at one moment, and what is served. Used on the watchdog's thread only.
struct QueueScan {
  /// An item that is served.
  struct Served {
    var item: QueueItem
    var lane: Int
    var queue: UInt64
    var servedNs: Nanoseconds

    var thread: ServingThread {
      ServingThread(id: item.threadID, pointer: item.threadPointer) { [item, servedNs] in item.servedNs == servedNs }
    }
  }

  /// The item of a queue that has waited longest.
  struct Waiting {
    var item: QueueItem
    var lane: Int
    var waitingNs: Nanoseconds

    /// The thread that waits until the item's work is done; 0: none does.
    var waiter: UInt64 { item.waitsForTurn ? item.threadID : 0 }
  }

  /// Since when the monitor watches: an item that was enqueued before waits from then on.
  private let startedNs: Nanoseconds
  private(set) var served: [Served] = []
  /// By queue.
  private(set) var waiting: [UInt64: Waiting] = [:]
  /// When the first of the pings is due that are still to come; nil: none is.
  private(set) var nextPingNs: Nanoseconds?

  init(from startedNs: Nanoseconds) { self.startedNs = startedNs }

  /// Reads all items that were ever used, at most 16,384 and those of pings: some microseconds for a thousand.
  mutating func read(_ pings: PingedLanes, at now: Nanoseconds) {
    served.removeAll(keepingCapacity: true)
    waiting.removeAll(keepingCapacity: true)
    nextPingNs = nil
    var early: [QueueItem] = []
    read(QueueItem.hooked, at: now, &early)
    read(pings.items, at: now, &early)
    // The next look finds them in the lane of what they wait for.
    for item in early { served.first { $0.queue == item.queue }.map { item.adopt($0.lane) } }
  }

  /// Adds those to `early` that came before the monitor and have no lane.
  private mutating func read(
    _ items: (first: UnsafeRawPointer?, count: Int), at now: Nanoseconds, _ early: inout [QueueItem]
  ) {
    guard let first = items.first else { return }
    for number in 0..<items.count {
      let item = QueueItem(number, from: first)
      var waitingNs = item.waitingNs
      let servedNs = item.servedNs
      guard waitingNs != 0 || servedNs != 0 else { continue }
      guard let lane = item.lane else {
        if waitingNs == QueueItem.fromBefore { early.append(item) }
        continue
      }
      if waitingNs == QueueItem.fromBefore { waitingNs = startedNs }
      if servedNs != 0 {
        guard servedNs <= now else { continue }
        served.append(Served(item: item, lane: lane, queue: item.queue, servedNs: servedNs))
      } else if waitingNs > now {
        nextPingNs = min(nextPingNs ?? .max, waitingNs)
      } else if waitingNs < waiting[item.queue]?.waitingNs ?? .max {
        waiting[item.queue] = Waiting(item: item, lane: lane, waitingNs: waitingNs)
      }
    }
  }

  /// Whether an item waits, or a ping that is due by `now`. Items are not held against `now`: the threads that enqueue them
  /// read another clock, which may be some nanoseconds ahead, and nobody would wake the watchdog for one that it passes over.
  static func hasWaiting(_ pings: PingedLanes, at now: Nanoseconds) -> Bool {
    hasWaiting(QueueItem.hooked) { $0 != 0 } || hasWaiting(pings.items) { $0 != 0 && $0 <= now }
  }

  private static func hasWaiting(
    _ items: (first: UnsafeRawPointer?, count: Int), since waits: (Nanoseconds) -> Bool
  ) -> Bool {
    guard let first = items.first else { return false }
    return (0..<items.count).contains { waits(QueueItem($0, from: first).waitingNs) }
  }

  /// What is served by the threads that items of `queue` wait for: the queue's own, or if it is a pool's and has none, that
  /// of all pools, because Dispatch serves them by the same threads. A thread that waits for its turn needs none of these,
  /// and takes none of them when it gets it.
  func served(before queue: UInt64, ofPool isPool: (_ lane: Int) -> Bool) -> [Served] {
    let own = served.filter { $0.queue == queue }
    guard own.isEmpty, let waiting = waiting[queue], waiting.waiter == 0, isPool(waiting.lane) else { return own }
    return served.filter { isPool($0.lane) && !$0.item.waitsForTurn }
  }
}
