import StallwatchCore

/// The lanes of Dispatch's queues, and those that are pinged: what waits in them, and what is served meanwhile. Used on the
/// watchdog's thread only.
final class QueueWatch {
  /// Where hooks show items, their lanes; no lane is pinged then.
  private let hooked: LaneTable?
  private let pings: PingedLanes
  private let threshold: Nanoseconds
  private let registry: LoopRegistry
  private let startedNs: Nanoseconds
  /// In the order in which they came.
  private(set) var lanes: [QueueLane] = []
  /// Their indices in ``lanes``, by place in the table.
  private var indices: [Int: Int] = [:]
  private var scan: QueueScan
  private var unseen = UnseenWork()
  /// The threads of a pool that Dispatch fills at once: as many as there are processors.
  private let width = Platform.processors
  /// Late items that were lost since this was last reported.
  private var lostSpans: UInt64 = 0

  /// `now`: from when on lanes are watched.
  init(
    _ hooked: LaneTable?, _ pings: PingedLanes, registry: LoopRegistry, threshold: Nanoseconds, at now: Nanoseconds
  ) {
    (self.hooked, self.pings, self.registry, self.threshold) = (hooked, pings, registry, threshold)
    startedNs = now
    scan = QueueScan(from: now)
  }

  private var table: LaneTable? { hooked ?? pings.table }

  /// Takes in lanes that are new, and returns their indices.
  func adopt() -> Range<Int> {
    let known = lanes.count
    guard let table else { return known..<known }
    while let place = table.place(lanes.count) {
      indices[place] = lanes.count
      lanes.append(QueueLane(registry.nextLaneID(), region: table[place], watchedFrom: startedNs))
    }
    return known..<lanes.count
  }

  /// Reads what waits and what is served now.
  func look(at now: Nanoseconds) {
    guard !lanes.isEmpty else { return }
    pings.pace(at: now)
    scan.read(pings, at: now)
    for index in lanes.indices where lanes[index].headNs != nil {
      (lanes[index].headNs, lanes[index].head, lanes[index].ahead) = (nil, nil, [])
    }
    if !scan.waiting.isEmpty { pings.nameServers() }
    for (queue, waiting) in scan.waiting {
      guard let index = indices[waiting.lane], waiting.waitingNs < lanes[index].headNs ?? .max,
        let (ahead, servingNs) = ahead(of: waiting, in: queue, lanes[index], at: now)
      else { continue }
      (lanes[index].headNs, lanes[index].head) = (waiting.waitingNs, waiting.item)
      (lanes[index].ahead, lanes[index].servingNs) = (ahead, servingNs)
      if lanes[index].kind == .pool { lanes[index].servedByPools = scan.served.count { isPool($0.lane) } }
    }
    unseen.keep(scan.waiting)
  }

  /// Whether the lane at a place of the table is a pool.
  private func isPool(_ place: Int) -> Bool { indices[place].map { lanes[$0].kind == .pool } ?? false }

  /// What is served before the item of a queue that has waited longest, and since when something is without a
  /// pause; nil: nothing is, because the queue is suspended, or what it serves cannot be seen.
  private func ahead(
    of waiting: QueueScan.Waiting, in queue: UInt64, _ lane: QueueLane, at now: Nanoseconds
  ) -> ([ServingThread], servingNs: Nanoseconds)? {
    let served = scan.served(before: queue, ofPool: isPool)
    guard served.isEmpty else {
      let servingNs = lane.region.servingNs(queue) ?? served.map(\.servedNs).min() ?? 0
      return (served.map(\.thread), min(servingNs, unseen.servingNs(queue) ?? .max))
    }
    guard lane.kind == .queue else { return nil }
    return unseen.find(before: waiting, in: queue, at: now).map { ([$0.thread], $0.sinceNs) }
  }

  /// Whether threads were free in a delay of a pool: it served fewer items at any look than Dispatch has threads at once.
  func hadFreeThreads(_ delay: QueueLane.Delay, of lane: QueueLane) -> Bool {
    lane.kind == .pool && (1..<width).contains(delay.mostServed)
  }

  /// Changes a lane.
  func change<Result>(_ index: Int, _ body: (inout QueueLane) -> Result) -> Result { body(&lanes[index]) }

  /// The late items of a lane since the last call.
  func takeLate(_ index: Int) -> [LaneRegion.LateItem] {
    let (items, lost) = lanes[index].takeLate()
    lostSpans += lost
    return items
  }

  /// Whether an item waits while others are served before it, or a delay goes on.
  var isAwake: Bool { lanes.contains { $0.headNs != nil } || hasDelay }

  /// Whether a delay goes on, as far as known.
  var hasDelay: Bool { lanes.contains { $0.delay != nil } }

  /// Whether nothing waits. An item that begins to wait from now on, on any thread, wakes a parked watchdog; a ping that
  /// is due later does not.
  func isIdle(at now: Nanoseconds) -> Bool {
    lanes.isEmpty && (table?.count ?? 0) == 0 || !QueueScan.hasWaiting(pings, at: now)
  }

  /// Whether a look would find no lane that is new, no item that waits and none that was late.
  func isQuiet(at now: Nanoseconds) -> Bool {
    !hasDelay && table?.place(lanes.count) == nil && !lanes.contains { $0.hasLate } && isIdle(at: now)
  }

  /// When to look at the first of the pings that are still to come; nil: none is.
  func nextPingLook(firstLook: Nanoseconds) -> Nanoseconds? { scan.nextPingNs.map { $0 + firstLook } }

  /// Whether there are figures to hand on; while an item waits for long, that it does.
  var hasFigures: Bool { lanes.contains { $0.hasNewItems } || hasDelay }

  /// About how many items the lanes have served. Pings keep nobody awake.
  var served: UInt64 { lanes.reduce(0) { $1.kind == .pinged ? $0 : $0 &+ $1.region.served } }

  /// The growth of all lanes' figures.
  func growth(at now: Nanoseconds) -> [ProfileDelta] {
    guard !lanes.isEmpty else { return [] }
    scan.read(pings, at: now)
    var serving = [Nanoseconds](repeating: 0, count: lanes.count)
    for served in scan.served {
      if let index = indices[served.lane] { serving[index] += now.since(served.servedNs) }
    }
    return lanes.indices.compactMap { index in
      lanes[index].growth(at: now, serving: serving[index], width: lanes[index].kind == .pool ? width : 1)
    }
  }

  /// What was lost since the last call.
  func takeLosses() -> [LossRecord] {
    defer { lostSpans = 0 }
    return [
      LossRecord(what: "items", loop: nil, count: QueueItems.takeUnlisted()),
      LossRecord(what: "spans", loop: nil, count: lostSpans),
    ].filter { $0.count > 0 }
  }

  /// When the next look is due; nil: none before something else comes.
  func nextLook(at now: Nanoseconds, firstLook: Nanoseconds, _ sampling: StallSampling?) -> Nanoseconds? {
    var next = nextPingLook(firstLook: firstLook)
    for lane in lanes {
      let due: Nanoseconds
      if let delay = lane.delay {
        if delay.seemsOver {
          due = now + Self.grace
        } else {
          due = sampling?.nextLook(at: lane.id, heldFrom: delay.began.startedNs)?.lowerBound ?? now + threshold
        }
      } else if let start = lane.waitingSinceNs {
        let isSampled = sampling.map { now >= $0.soonestLook(at: lane.id, heldFrom: start) } ?? true
        due = isSampled || start + firstLook <= now ? start + threshold : start + firstLook
      } else {
        continue
      }
      next = min(next ?? .max, max(due, now))
    }
    return next
  }

  /// How long a thread that has begun an item may take to say so.
  static let grace = 1 * Nanoseconds.millisecond
}
