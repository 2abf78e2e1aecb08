import StallwatchCore

/// The memory of one watched loop: its board, queue, fold and modes, and the observers that write there. Never moved
/// and never given back; once the loop's thread is gone it serves a later loop.
final class LoopMemory: @unchecked Sendable {
  let board: LoopBoard
  let queue: SpellQueue
  let lateFires: LateFireQueue
  let polled: UnsafeMutablePointer<PolledTimers>
  let oneShots: OneShotSlots
  let fold: UnsafeMutablePointer<LoopFold>
  let taps: UnsafeMutablePointer<ModeTap>
  let threadEnd: UnsafeMutablePointer<ThreadEnd>
  private let boardMemory: UnsafeMutableRawPointer
  private let stackMemory: UnsafeMutableRawPointer
  private var modeMemory: [UnsafeMutableRawPointer] = []
  private var observers: [ModeObservers] = []
  let threshold: Nanoseconds
  private let polledMemory: UnsafeMutableRawPointer
  private let grid: DueGrid?

  /// Where each part begins, and the end. Parts share no cache lines, so the watchdog disturbs only what it reads.
  private static let offsets: [Int] = [
    LoopBoard.byteCount, SpellQueue.byteCount, LoopFold.stackByteCount, MemoryLayout<LoopFold>.stride,
    ProbeConfiguration.maximumModes * MemoryLayout<ModeTap>.stride, LateFireQueue.byteCount,
    MemoryLayout<PolledTimers>.stride, PolledTimers.capacity * MemoryLayout<PolledTimers.Entry>.stride,
    OneShotSlots.byteCount, MemoryLayout<ThreadEnd>.stride,
  ].reduce(into: [0]) { $0.append(($0.last! + $1 + 63) & ~63) }

  /// Takes memory for a loop; nil when there is none.
  init?(threshold: Nanoseconds, grid: DueGrid?, parker: Parker, clock: CounterClock, ended: EndedThreads) {
    let offsets = Self.offsets
    guard let memory = ZeroedMemory.take(byteCount: offsets.last!) else { return nil }
    self.threshold = threshold
    self.grid = grid
    boardMemory = memory
    stackMemory = memory + offsets[2]
    board = LoopBoard(memory: memory)
    queue = SpellQueue(memory: memory + offsets[1])
    lateFires = LateFireQueue(memory: memory + offsets[5])
    polled = (memory + offsets[6]).bindMemory(to: PolledTimers.self, capacity: 1)
    polledMemory = memory + offsets[7]
    polled.initialize(to: PolledTimers(entries: polledMemory))
    oneShots = OneShotSlots(memory: memory + offsets[8])
    threadEnd = (memory + offsets[9]).bindMemory(to: ThreadEnd.self, capacity: 1)
    threadEnd.initialize(to: ThreadEnd(ended: ended))
    fold = (memory + offsets[3]).bindMemory(to: LoopFold.self, capacity: 1)
    fold.initialize(to: LoopFold(board: board, queue: queue, threshold: threshold, stackMemory: stackMemory))
    taps = (memory + offsets[4]).bindMemory(to: ModeTap.self, capacity: ProbeConfiguration.maximumModes)
    for index in 0..<ProbeConfiguration.maximumModes {
      (taps + index).initialize(
        to: ModeTap(
          fold: fold, board: board, counters: nil, parker: parker, clock: clock, polled: polled,
          threadEnd: threadEnd))
    }
    ForkGuard.cover(board)
  }

  /// The zeroed counters for a loop's mode at `index`; nil when there is no memory.
  func counters(at index: Int) -> ModeCounters? {
    if index == modeMemory.count {
      guard let memory = ZeroedMemory.take(byteCount: ModeCounters.byteCount) else { return nil }
      modeMemory.append(memory)
    }
    let counters = ModeCounters(index: index, memory: modeMemory[index])
    taps[index].counters = counters
    return counters
  }

  /// The observers for a loop's mode at `index`, added to no loop yet; nil when CF makes none.
  func observers(at index: Int) -> ModeObservers? {
    if index == observers.count {
      guard let pair = ModeObservers(tap: taps + index) else { return nil }
      observers.append(pair)
    }
    return observers[index]
  }

  /// Prepares the memory for a loop that comes under watch now. Call before adding its observers.
  func begin(at now: Nanoseconds) {
    fold.pointee = LoopFold(
      board: board, queue: queue, threshold: threshold, startedNs: now, grid: grid, stackMemory: stackMemory)
    polled.pointee = PolledTimers(entries: polledMemory)
  }

  /// Resets the memory, once no thread can be in it any more.
  func clear() {
    board.clear()
    queue.clear()
    lateFires.clear()
    oneShots.clear()
    for (index, memory) in modeMemory.enumerated() { ModeCounters(index: index, memory: memory).clear() }
  }
}
