import StallwatchCore

/// The memory of one watched loop: its region, fold and modes, and the observers that write there. Never moved and
/// never unmapped; once the loop's thread is gone it serves a later loop. Until then it holds nothing, and its pages
/// may be given back (``giveBack()``): whatever a part needs at its beginning is made in ``begin(at:)`` and
/// ``counters(at:)``.
///
/// The memory that a loop of one mode uses lies on few pages: the mode's first groups of counters follow what observers
/// point at on one page, and what else every loop needs takes two. The rest of each part is seldom touched.
final class LoopMemory: @unchecked Sendable {
  let region: LoopRegion
  let polled: UnsafeMutablePointer<PolledTimers>
  let oneShots: OneShotSlots
  let fold: UnsafeMutablePointer<LoopFold>
  let threadEnd: UnsafeMutablePointer<ThreadEnd>
  let threshold: Nanoseconds
  private let memory: UnsafeMutableRawPointer
  private var modes: [ModeMemory]
  private var observers: [ModeObservers] = []
  private let grid: DueGrid?
  private let parker: Parker
  private let clock: CounterClock
  private let ended: EndedThreads

  /// Where each part begins, and the end. Parts share no cache lines, so the watchdog disturbs only what it reads.
  private enum Offsets {
    static let (mode, fold, polled, threadEnd, stack, region, oneShots, entries, end) = {
      var end = 0
      func place(_ byteCount: Int, alignment: Int = CacheLine.length) -> Int {
        let place = (end + alignment - 1) & ~(alignment - 1)
        end = place + byteCount
        return place
      }
      return (
        place(ModeMemory.byteCount), place(MemoryLayout<LoopFold>.stride, alignment: ZeroedMemory.pageSize),
        place(MemoryLayout<PolledTimers>.stride), place(MemoryLayout<ThreadEnd>.stride),
        place(LoopFold.stackByteCount), place(LoopRegion.byteCount), place(OneShotSlots.byteCount),
        place(PolledTimers.capacity * MemoryLayout<PolledTimers.Entry>.stride), end
      )
    }()
  }

  /// Takes memory for a loop; nil when there is none. Touches none of it.
  init?(threshold: Nanoseconds, grid: DueGrid?, parker: Parker, clock: CounterClock, ended: EndedThreads) {
    guard let memory = ZeroedMemory.allocate(byteCount: Offsets.end) else { return nil }
    self.memory = memory
    self.threshold = threshold
    self.grid = grid
    self.parker = parker
    self.clock = clock
    self.ended = ended
    fold = (memory + Offsets.fold).bindMemory(to: LoopFold.self, capacity: 1)
    polled = (memory + Offsets.polled).bindMemory(to: PolledTimers.self, capacity: 1)
    threadEnd = (memory + Offsets.threadEnd).bindMemory(to: ThreadEnd.self, capacity: 1)
    region = LoopRegion(memory: memory + Offsets.region)
    oneShots = OneShotSlots(memory: memory + Offsets.oneShots)
    modes = [ModeMemory(memory: memory + Offsets.mode)]
    ForkGuard.cover(region)
  }

  /// The zeroed counters for a loop's mode at `index`; nil when there is no memory.
  func counters(at index: Int) -> ModeCounters? {
    if index == modes.count {
      guard let memory = ZeroedMemory.allocate(byteCount: ModeMemory.byteCount) else { return nil }
      modes.append(ModeMemory(memory: memory))
    }
    let counters = modes[index].counters(index)
    modes[index].tap.initialize(
      to: ModeTap(
        fold: fold, counters: counters, retired: modes[index].retired, clock: clock, region: region, parker: parker,
        polled: polled,
        threadEnd: threadEnd))
    return counters
  }

  /// The observers for a loop's mode at `index`, added to no loop yet; nil when CF makes none.
  func observers(at index: Int) -> ModeObservers? {
    if index == observers.count {
      guard let pair = ModeObservers(tap: modes[index].tap) else { return nil }
      observers.append(pair)
    }
    return observers[index]
  }

  /// What a mode's observers point at. Call ``counters(at:)`` before.
  func tap(at index: Int) -> UnsafeMutablePointer<ModeTap> { modes[index].tap }

  /// Prepares the memory for a loop that comes under watch now. Call before adding its observers.
  func begin(at now: Nanoseconds) {
    fold.initialize(
      to: LoopFold(
        region: region, threshold: threshold, startedNs: now, grid: grid, stackMemory: memory + Offsets.stack))
    polled.initialize(to: PolledTimers(entries: memory + Offsets.entries))
    threadEnd.initialize(to: ThreadEnd(ended: ended))
  }

  /// The memory of a mode's retired counters.
  func retired(at index: Int) -> RetiredCounters { modes[index].retired }

  /// Gives the pages of a mode's retired counters back, which are empty and not asked for.
  func giveBackRetired(at index: Int) { modes[index].giveBackRetired() }

  /// Resets the memory, once no thread can be in it any more.
  func clear() {
    region.clear()
    oneShots.clear()
    for (index, mode) in modes.enumerated() {
      mode.counters(index).clear()
      mode.retired.clear()
    }
  }

  /// Gives the pages of cleared memory back to the system, if it can take them. They are zeroed again when they are
  /// next touched.
  func giveBack() {
    ZeroedMemory.giveBack(memory, byteCount: Offsets.end)
    for mode in modes.dropFirst() { ZeroedMemory.giveBack(mode.memory, byteCount: ModeMemory.byteCount) }
  }
}

/// The memory of one mode: what its observers point at, and its counters beside it.
struct ModeMemory {
  static let byteCount = retiredOffset + RetiredCounters.byteCount
  private static let countersOffset = CacheLine.rounded(MemoryLayout<ModeTap>.stride)
  /// On pages of their own, so that these can be given back; what follows in a loop's memory begins on another one too.
  private static let retiredOffset = ZeroedMemory.pages(countersOffset + ModeCounters.byteCount)

  let memory: UnsafeMutableRawPointer

  var tap: UnsafeMutablePointer<ModeTap> { memory.assumingMemoryBound(to: ModeTap.self) }
  /// The counters, as those of the mode at `index`.
  func counters(_ index: Int) -> ModeCounters { ModeCounters(index: index, memory: memory + Self.countersOffset) }
  var retired: RetiredCounters { RetiredCounters(memory: memory + Self.retiredOffset) }

  func giveBackRetired() {
    ZeroedMemory.giveBack(memory + Self.retiredOffset, byteCount: Self.byteCount - Self.retiredOffset)
  }
}
