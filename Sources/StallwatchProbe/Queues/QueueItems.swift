import CHooks
import StallwatchCore
import Synchronization

/// What StallwatchHooks call for items of Dispatch's queues and for tasks of actors, on the program's threads: each call
/// reads the clock at most once, and neither allocates nor takes a lock.
enum QueueItems {
  /// What those threads need.
  private struct Use {
    let lanes: LaneTable
    let clock: CounterClock
    let parker: Parker
    let threshold: Nanoseconds
    let startedNs: Nanoseconds
  }

  /// Where the ``Use`` of the monitor lies that listens now; 0: nobody does. Never given back, because a thread may be
  /// reading it.
  private static let current = Atomic<UInt>(0)

  /// The lanes of this process, for every monitor that it ever has. Nil without address space.
  private static let lanes = LaneTable()

  /// How many items belong to labels that found no room among the lanes.
  private static let unlisted = Atomic<UInt64>(0)

  /// Has items shown from now on. Returns the lanes that they make; nil when they cannot be shown.
  static func begin(
    clock: CounterClock, parker: Parker, threshold: Nanoseconds, at now: Nanoseconds
  ) -> LaneTable? {
    guard QueueItem.isLaidOutAsDeclared, let lanes else { return nil }
    let use = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<Use>.size, alignment: CacheLine.length)
      .bindMemory(to: Use.self, capacity: 1)
    use.initialize(
      to: Use(lanes: lanes, clock: clock, parker: parker, threshold: threshold, startedNs: now))
    current.store(UInt(bitPattern: use), ordering: .releasing)
    return lanes
  }

  /// Shows no further items. A call that another thread has begun may still go on.
  static func end() { current.store(0, ordering: .releasing) }

  /// How many items found no lane since the last call.
  static func takeUnlisted() -> UInt64 { unlisted.exchange(0, ordering: .relaxed) }

  @inline(__always)
  private static var use: UnsafePointer<Use>? { UnsafePointer(bitPattern: current.load(ordering: .acquiring)) }

  static func didEnqueue(
    _ item: UnsafeMutablePointer<stallwatch_hooks_item>, label: UnsafePointer<CChar>?,
    _ kind: stallwatch_hooks_item_kind, isDue: Bool
  ) {
    guard let use else { return }
    let item = QueueItem(item)
    if isListed(item, label, kind, use), isDue { wait(item, use) }
  }

  static func willWaitForTurn(
    _ item: UnsafeMutablePointer<stallwatch_hooks_item>, label: UnsafePointer<CChar>?,
    _ kind: stallwatch_hooks_item_kind, on thread: UInt64
  ) {
    guard let use else { return }
    let item = QueueItem(item)
    guard isListed(item, label, kind, use) else { return }
    item.setThread(thread, pointer: 0)
    wait(item, use)
  }

  /// Whether the item has a lane, or its label has found room among the lanes.
  @inline(__always)
  private static func isListed(
    _ item: QueueItem, _ label: UnsafePointer<CChar>?, _ kind: stallwatch_hooks_item_kind, _ use: UnsafePointer<Use>
  ) -> Bool {
    if item.lane != nil { return true }
    let lane = use.pointee.lanes.find(label, LaneKind(kind), at: use.pointee.clock.now())
    item.setLane(lane)
    if lane == nil { unlisted.wrappingAdd(1, ordering: .relaxed) }
    return lane != nil
  }

  @inline(__always)
  private static func wait(_ item: QueueItem, _ use: UnsafePointer<Use>) {
    item.wait(from: use.pointee.clock.now())
    use.pointee.parker.wakeIfParked()
  }

  static func willBegin(_ item: UnsafeMutablePointer<stallwatch_hooks_item>, on thread: UInt64) {
    guard let use else { return }
    let item = QueueItem(item)
    // Without a lane there was no room for its label.
    guard let lane = item.lane else {
      return DispatchQueueServer.prove(by: item.queue, servedBy: thread, isSerial: false)
    }
    var start = item.waitingNs
    let now = use.pointee.clock.now()
    item.begin(on: thread, at: now)
    // Delayed work has woken nobody.
    if start == 0 { use.pointee.parker.wakeIfParked() }
    let region = use.pointee.lanes[lane]
    if start == QueueItem.fromBefore {
      // Where nothing was served before it, it waited for the monitor's own start.
      start = region.servingNs(item.queue) == nil ? 0 : use.pointee.startedNs
    }
    region.begin(queue: item.queue, waitingSince: start, at: now, threshold: use.pointee.threshold)
    if region.isQueue { DispatchQueueServer.prove(by: item.queue, servedBy: thread, isSerial: true) }
  }

  static func mayBegin(_ item: UnsafeMutablePointer<stallwatch_hooks_item>, on thread: UInt64) {
    guard let use else { return }
    QueueItem(item).begin(on: thread, at: use.pointee.clock.now())
  }

  static func didHop(
    _ item: UnsafeMutablePointer<stallwatch_hooks_item>, wasAsked: Bool, to actor: UnsafeRawPointer, lane: UInt32
  ) {
    guard let use else { return }
    let (item, now) = (QueueItem(item), use.pointee.clock.now())
    end(item, wasAsked, at: now, use)
    item.turn(to: actor, lane: Int(lane) - 1, at: now)
    use.pointee.parker.wakeIfParked()
  }

  static func mustWait(_ item: UnsafeMutablePointer<stallwatch_hooks_item>) {
    guard let use else { return }
    let item = QueueItem(item)
    let start = item.servedNs
    item.end()
    guard start != 0 else { return }
    item.wait(from: start)
    use.pointee.parker.wakeIfParked()
  }

  static func didEnd(_ item: UnsafeMutablePointer<stallwatch_hooks_item>, wasAsked: Bool) {
    guard let use else { return }
    let item = QueueItem(item)
    end(item, wasAsked, at: use.pointee.clock.now(), use)
    item.end()
    // The watchdog parks while an item is served for long and nothing waits.
    use.pointee.parker.wakeIfParked()
  }

  /// Counts an item that is over. One that was asked for is not counted before: it might have had to wait.
  @inline(__always)
  private static func end(_ item: QueueItem, _ wasAsked: Bool, at now: Nanoseconds, _ use: UnsafePointer<Use>) {
    let start = item.servedNs
    guard let lane = item.lane, start != 0 else { return }
    let region = use.pointee.lanes[lane]
    if wasAsked {
      // Its actor was free: it waited for no time.
      region.begin(queue: item.queue, waitingSince: start, at: start, threshold: use.pointee.threshold)
    }
    region.end(servedSince: start, at: now)
  }
}

extension LaneKind {
  fileprivate init(_ kind: stallwatch_hooks_item_kind) {
    self =
      switch kind {
      case stallwatch_hooks_pool: .pool
      case stallwatch_hooks_actor: .actor
      default: .queue
      }
  }
}
