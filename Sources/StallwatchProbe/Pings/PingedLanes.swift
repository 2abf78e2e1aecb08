import CHooks
import CStallwatch
import StallwatchCore
import StallwatchLibc
import Synchronization

/// The lanes of a probe that are watched by pings, and how often they are.
final class PingedLanes: @unchecked Sendable {
  /// The most lanes; further ones are refused.
  static let mostLanes = 64
  /// How often a lane is pinged while the process works: twice a threshold, so that whatever holds it for one and a half is
  /// seen.
  private static let pingsInThreshold: Nanoseconds = 2
  /// How often at rest: a wake-up a second is what an embedder asks for who has a lane pinged.
  static let longestInterval = 1 * Nanoseconds.second
  /// The process rests while it takes less of a processor than this. Pings themselves take some 0.5 %.
  private static let restingShare = 0.02
  /// The least time between two looks at that.
  private static let paceInterval = 250 * Nanoseconds.millisecond

  private struct Memory {
    let table: LaneTable
    let items: UnsafeMutablePointer<stallwatch_hooks_item>
    /// The lanes that are queues of Dispatch's, and the items that stand for what they serve.
    var queues: [(server: QueueServer, held: QueueItem)] = []
  }

  private let clock: CounterClock
  private let parker: Parker
  private let threshold: Nanoseconds
  /// Nil before the first lane, and where there is no address space. Never given back: a lane may use it at any time.
  private let memory = Lock<Memory?>(nil)
  /// How many lanes there are.
  private let count = Atomic<Int>(0)
  private let currentInterval: Atomic<Nanoseconds>
  private let over = Atomic<Bool>(false)
  // Used on the watchdog's thread only.
  /// Where the table and the items lie, which never changes: the watchdog would take a ping for answered that it cannot see
  /// for a lock.
  private var view: (table: LaneTable, items: UnsafeRawPointer)?
  private var pacedNs: Nanoseconds = 0
  private var pacedCPU: Nanoseconds = 0

  init(clock: CounterClock, parker: Parker, threshold: Nanoseconds) {
    (self.clock, self.parker, self.threshold) = (clock, parker, threshold)
    currentInterval = Atomic(threshold / Self.pingsInThreshold)
  }

  /// A new lane under a name, of which ``LaneRegion/labelLength`` bytes are kept; nil without room for it. `queue`: the
  /// queue of Dispatch's that it is. Any thread.
  func add(_ name: String, queue: AnyObject?) -> PingedLane? {
    memory.withLock { memory in
      if memory == nil { memory = Self.allocate() }
      let number = count.load(ordering: .relaxed)
      guard let known = memory, number < Self.mostLanes,
        let place = known.table.find(name, .pinged, at: clock.now())
      else { return nil }
      let (ping, server) = (known.items + 2 * number, queue.map(QueueServer.init))
      let lane = PingedLane(
        self, ping: QueueItem(ping), held: QueueItem(ping + 1), server: server, region: known.table[place],
        clock: clock, parker: parker, threshold: threshold)
      if let server { memory?.queues.append((server, QueueItem(ping + 1))) }
      for item in [ping, ping + 1] {
        // Its own queue: nothing else is enqueued there.
        item.pointee.queue = UnsafeRawPointer(ping)
        QueueItem(item).setLane(place)
      }
      count.store(number + 1, ordering: .releasing)
      return lane
    }
  }

  private static func allocate() -> Memory? {
    let size = 2 * mostLanes * MemoryLayout<stallwatch_hooks_item>.stride
    guard QueueItem.isLaidOutAsDeclared, let table = LaneTable(), let items = ZeroedMemory.allocate(byteCount: size)
    else { return nil }
    return Memory(
      table: table, items: items.bindMemory(to: stallwatch_hooks_item.self, capacity: 2 * mostLanes))
  }

  /// The table of the lanes; nil before the first. Watchdog's thread only.
  var table: LaneTable? { known?.table }

  /// The items of all lanes. Watchdog's thread only.
  var items: (first: UnsafeRawPointer?, count: Int) { (known?.items, 2 * count.load(ordering: .acquiring)) }

  private var known: (table: LaneTable, items: UnsafeRawPointer)? {
    if view == nil, !isEmpty {
      // Waits for nobody: the next look finds it.
      view = memory.withLockIfAvailable { $0.map { ($0.table, UnsafeRawPointer($0.items)) } } ?? nil
    }
    return view
  }

  /// Names the threads that serve queues now. Watchdog's thread only.
  func nameServers() {
    memory.withLockIfAvailable { memory in
      for queue in memory?.queues ?? [] { queue.held.setThread(queue.server.thread ?? 0, pointer: 0) }
    }
  }

  private var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  /// The time from one ping's answer to the next ping.
  var interval: Nanoseconds { currentInterval.load(ordering: .relaxed) }

  /// Whether watching has stopped.
  var isOver: Bool { over.load(ordering: .relaxed) }

  /// Ends all pings: each lane learns of it at its next answer.
  func end() { over.store(true, ordering: .relaxed) }

  /// Has pings thin out while the process rests. Watchdog's thread only.
  func pace(at now: Nanoseconds) {
    guard !isEmpty, now.since(pacedNs) >= Self.paceInterval else { return }
    let cpu = Platform.processCPU()
    defer { (pacedNs, pacedCPU) = (now, cpu) }
    guard pacedNs > 0 else { return }
    let share = Double(cpu.since(pacedCPU)) / Double(now.since(pacedNs))
    let next = share < Self.restingShare ? min(2 * interval, Self.longestInterval) : threshold / Self.pingsInThreshold
    currentInterval.store(max(next, 1), ordering: .relaxed)
  }
}
