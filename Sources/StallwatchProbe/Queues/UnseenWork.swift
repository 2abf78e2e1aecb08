import StallwatchCore

/// What serial queues serve that no hook shows, such as the work of other queues with the same target. A queue names the
/// thread that serves it, so that an item which waits behind these waits for something known. Used on the watchdog's thread
/// only.
struct UnseenWork {
  private struct Seen {
    /// Since when the queue has served something unseen.
    var servingNs: Nanoseconds
    var thread: UInt64
  }

  /// By queue.
  private var seen: [UInt64: Seen] = [:]

  /// Forgets queues in which nothing waits any more.
  mutating func keep(_ waiting: [UInt64: QueueScan.Waiting]) {
    if !seen.isEmpty { seen = seen.filter { waiting[$0.key] != nil } }
  }

  /// Since when a queue has served what nobody saw while the same item waited; nil: not known.
  func servingNs(_ queue: UInt64) -> Nanoseconds? { seen[queue].flatMap { $0.thread != 0 ? $0.servingNs : nil } }

  /// The thread that serves a queue in which an item waits, and since when it has served what nobody sees; nil where none
  /// does. A thread that waits for its turn may have got the queue, and waits for the one that this one targets.
  mutating func find(
    before waiting: QueueScan.Waiting, in queue: UInt64, at now: Nanoseconds
  ) -> (thread: ServingThread, sinceNs: Nanoseconds)? {
    let waiter = waiting.waiter
    guard DispatchQueueServer.isProven, let thread = DispatchQueueServer.thread(serving: queue, waiter: waiter) else {
      // Suspended: what is served from now on was not served before.
      seen[queue] = Seen(servingNs: now, thread: 0)
      return nil
    }
    // Found served at the first look, the queue has been so since the item came: a look follows an item soon.
    let servingNs = seen[queue]?.servingNs ?? waiting.waitingNs
    seen[queue] = Seen(servingNs: servingNs, thread: thread)
    let serving = ServingThread(id: thread, pointer: 0) {
      DispatchQueueServer.thread(serving: queue, waiter: waiter) == thread
    }
    return (serving, servingNs)
  }
}
