import StallwatchCore
import Synchronization

/// The timers of the process: slots in memory that is taken once and never moves. Any thread takes and ends slots,
/// without a lock; the watchdog gives them back.
///
/// Free slots are used first, so that a program that keeps making and ending timers touches only the memory of the
/// timers it has at one time.
final class TimerTable: Sendable {
  /// The most timers told apart at one time; one-shots of one loop made at one place count as one. The same number as
  /// the hooks see. 15 KB of address space each, of which only touched pages are backed.
  static let capacity = 4_096

  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
  private let touched = Atomic<Int>(0)
  /// The first slot that was given back: its place + 1 in the lower half, 0 for none. The upper half counts changes,
  /// which distinguishes a list that has changed and changed back.
  private let freed = Atomic<UInt64>(0)
  private let numbers = Atomic<UInt64>(0)
  private let lost = Atomic<UInt64>(0)
  private let ended = Atomic<UInt64>(0)

  /// Nil when there is no address space.
  init?() {
    guard let memory = ZeroedMemory.allocate(byteCount: Self.capacity * TimerSlot.byteCount) else { return nil }
    self.memory = memory
  }

  /// The slot at a place.
  func slot(at place: Int) -> TimerSlot { TimerSlot(memory: memory + place * TimerSlot.byteCount) }

  /// The slots that were ever used.
  var slots: some Sequence<TimerSlot> { (0..<touched.load(ordering: .acquiring)).lazy.map { self.slot(at: $0) } }

  /// A slot for another timer; nil, and counted, when there is none. Any thread.
  func claim() -> TimerSlot? {
    guard let slot = claimFreed() ?? claimUntouched() else {
      lost.wrappingAdd(1, ordering: .relaxed)
      return nil
    }
    slot.number(number())
    return slot
  }

  /// The slot that the one-shots of a loop made at `origin` share; nil, and counted, when there is no room. On that
  /// loop's thread.
  func oneShot(origin: UInt64, of watched: WatchedLoop, at now: Nanoseconds) -> TimerSlot? {
    var hasTried = false
    let slot = watched.memory.oneShots.slot(origin: origin) {
      hasTried = true
      guard let slot = claim() else { return nil }
      slot.describe(origin: origin, interval: 0, at: now)
      slot.bind(to: watched)
      slot.begin()
      return slot
    }
    if slot == nil, !hasTried { lost.wrappingAdd(1, ordering: .relaxed) }
    return slot
  }

  /// Gives a slot back. The watchdog, or a thread that has taken it and shown it to nobody.
  func free(_ slot: TimerSlot) {
    slot.free()
    var list = freed.load(ordering: .relaxed)
    while true {
      slot.nextFreed = list & 0xFFFF_FFFF
      let outcome = freed.weakCompareExchange(
        expected: list, desired: Self.changed(list, to: UInt64(slot.index) + 1), ordering: .acquiringAndReleasing)
      if outcome.exchanged { return }
      list = outcome.original
    }
  }

  /// How many repeating timers have ended so far.
  var endedTimers: UInt64 { ended.load(ordering: .relaxed) }
  /// Counts one that has ended. Any thread.
  func noteEnd() { ended.wrappingAdd(1, ordering: .relaxed) }

  /// An ID that no timer has. Any thread.
  func number() -> TimerID { TimerID(rawValue: numbers.wrappingAdd(1, ordering: .relaxed).newValue) }

  /// Timers that found no room since the last call.
  func takeLost() -> UInt64 { lost.exchange(0, ordering: .relaxed) }

  private static func changed(_ list: UInt64, to first: UInt64) -> UInt64 { ((list >> 32) &+ 1) << 32 | first }

  private func claimFreed() -> TimerSlot? {
    var list = freed.load(ordering: .acquiring)
    while list & 0xFFFF_FFFF != 0 {
      let slot = slot(at: Int(list & 0xFFFF_FFFF) - 1)
      let outcome = freed.weakCompareExchange(
        expected: list, desired: Self.changed(list, to: slot.nextFreed), ordering: .acquiringAndReleasing)
      if outcome.exchanged {
        slot.claim(index: Int(list & 0xFFFF_FFFF) - 1)
        return slot
      }
      list = outcome.original
    }
    return nil
  }

  private func claimUntouched() -> TimerSlot? {
    var place = touched.load(ordering: .relaxed)
    while place < Self.capacity {
      let outcome = touched.weakCompareExchange(
        expected: place, desired: place + 1, ordering: .acquiringAndReleasing)
      if outcome.exchanged {
        let slot = slot(at: place)
        slot.claim(index: place)
        return slot
      }
      place = outcome.original
    }
    return nil
  }
}
