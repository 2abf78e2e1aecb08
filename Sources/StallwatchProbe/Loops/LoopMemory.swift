import StallwatchCore

/// The memory of one watched loop: its region, fold and modes, and the observers that write there. Never moved
/// and never given back; once the loop's thread is gone it serves a later loop.
final class LoopMemory: @unchecked Sendable {
  let region: LoopRegion
  let polled: UnsafeMutablePointer<PolledTimers>
  let oneShots: OneShotSlots
  let fold: UnsafeMutablePointer<LoopFold>
  let taps: UnsafeMutablePointer<ModeTap>
  let threadEnd: UnsafeMutablePointer<ThreadEnd>
  private let stackMemory: UnsafeMutableRawPointer
  private var modeMemory: [UnsafeMutableRawPointer] = []
  private var observers: [ModeObservers] = []
  let threshold: Nanoseconds
  private let polledMemory: UnsafeMutableRawPointer
  private let grid: DueGrid?

  /// Where each part begins, and the end. Parts share no cache lines, so the watchdog disturbs only what it reads.
  private static let offsets: [Int] = [
    LoopRegion.byteCount, LoopFold.stackByteCount, MemoryLayout<LoopFold>.stride,
    ProbeConfiguration.maximumModes * MemoryLayout<ModeTap>.stride, MemoryLayout<PolledTimers>.stride,
    PolledTimers.capacity * MemoryLayout<PolledTimers.Entry>.stride, OneShotSlots.byteCount,
    MemoryLayout<ThreadEnd>.stride,
  ].reduce(into: [0]) { $0.append(($0.last! + $1 + 63) & ~63) }

  /// Takes memory for a loop; nil when there is none.
  init?(threshold: Nanoseconds, grid: DueGrid?, parker: Parker, clock: CounterClock, ended: EndedThreads) {
    let offsets = Self.offsets
    guard let memory = ZeroedMemory.allocate(byteCount: offsets.last!) else { return nil }
    self.threshold = threshold
    self.grid = grid
    region = LoopRegion(memory: memory)
    stackMemory = memory + offsets[1]
    fold = (memory + offsets[2]).bindMemory(to: LoopFold.self, capacity: 1)
    fold.initialize(to: LoopFold(region: region, threshold: threshold, stackMemory: stackMemory))
    taps = (memory + offsets[3]).bindMemory(to: ModeTap.self, capacity: ProbeConfiguration.maximumModes)
    polled = (memory + offsets[4]).bindMemory(to: PolledTimers.self, capacity: 1)
    polledMemory = memory + offsets[5]
    polled.initialize(to: PolledTimers(entries: polledMemory))
    oneShots = OneShotSlots(memory: memory + offsets[6])
    threadEnd = (memory + offsets[7]).bindMemory(to: ThreadEnd.self, capacity: 1)
    threadEnd.initialize(to: ThreadEnd(ended: ended))
    for index in 0..<ProbeConfiguration.maximumModes {
      (taps + index).initialize(
        to: ModeTap(
          fold: fold, region: region, counters: nil, parker: parker, clock: clock, polled: polled,
          threadEnd: threadEnd))
    }
    ForkGuard.cover(region)
  }

  /// The zeroed counters for a loop's mode at `index`; nil when there is no memory.
  func counters(at index: Int) -> ModeCounters? {
    if index == modeMemory.count {
      guard let memory = ZeroedMemory.allocate(byteCount: ModeCounters.byteCount) else { return nil }
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
      region: region, threshold: threshold, startedNs: now, grid: grid, stackMemory: stackMemory)
    polled.pointee = PolledTimers(entries: polledMemory)
  }

  /// Resets the memory, once no thread can be in it any more.
  func clear() {
    region.clear()
    oneShots.clear()
    for (index, memory) in modeMemory.enumerated() { ModeCounters(index: index, memory: memory).clear() }
  }
}
