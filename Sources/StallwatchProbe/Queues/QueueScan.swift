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

  private(set) var served: [Served] = []
  /// By queue.
  private(set) var waiting: [UInt64: Waiting] = [:]
  /// When the first of the pings is due that are still to come; nil: none is.
  private(set) var nextPingNs: Nanoseconds?

  /// Reads all items that were ever used, at most 16,384 and those of pings: some microseconds for a thousand.
  mutating func read(_ pings: PingedLanes, at now: Nanoseconds) {
    served.removeAll(keepingCapacity: true)
    waiting.removeAll(keepingCapacity: true)
    nextPingNs = nil
    read(QueueItem.hooked, at: now)
    read(pings.items, at: now)
  }

  private mutating func read(_ items: (first: UnsafeRawPointer?, count: Int), at now: Nanoseconds) {
    guard let first = items.first else { return }
    for number in 0..<items.count {
      let item = QueueItem(number, from: first)
      let (waitingNs, servedNs) = (item.waitingNs, item.servedNs)
      guard waitingNs != 0 || servedNs != 0, let lane = item.lane else { continue }
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
