import StallwatchCore
import Synchronization

/// The timers of the process: slots in memory that is taken once and never moves. Slots are taken and ended without a lock
/// by any thread, and given back by the watchdog.
final class TimerTable: Sendable {
  /// Timers that are told apart at one time; one-shots of one loop that were made at one place are one. As many as the
  /// hooks see. 15 KB of address space each, of which only touched pages are backed.
  static let capacity = 4_096

  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
  private let next = Atomic<Int>(0)
  private let used = Atomic<Int>(0)
  private let numbers = Atomic<UInt64>(0)
  private let lost = Atomic<UInt64>(0)
  /// Where one-shots' slots are, by loop and origin: place + 1, or 0.
  private nonisolated(unsafe) let oneShots: UnsafeMutablePointer<Atomic<UInt64>>
  private static let oneShotCapacity = 1_024

  /// Nil when there is no address space.
  init?() {
    guard let memory = ZeroedMemory.take(byteCount: Self.capacity * TimerSlot.byteCount),
      let oneShots = ZeroedMemory.take(byteCount: Self.oneShotCapacity * 8)
    else { return nil }
    self.memory = memory
    self.oneShots = oneShots.bindMemory(to: Atomic<UInt64>.self, capacity: Self.oneShotCapacity)
  }

  /// The slot at a place.
  func slot(at place: Int) -> TimerSlot { TimerSlot(memory: memory + place * TimerSlot.byteCount) }

  /// A slot for another timer; nil, and counted, when there is none. Any thread.
  func take() -> TimerSlot? {
    for _ in 0..<Self.capacity where used.load(ordering: .relaxed) < Self.capacity {
      let place = next.wrappingAdd(1, ordering: .relaxed).oldValue & (Self.capacity - 1)
      let slot = slot(at: place)
      guard slot.state == .free, slot.take(index: place) else { continue }
      used.wrappingAdd(1, ordering: .relaxed)
      slot.number(numbers.wrappingAdd(1, ordering: .relaxed).newValue)
      return slot
    }
    lost.wrappingAdd(1, ordering: .relaxed)
    return nil
  }

  /// Gives a slot back. The watchdog only.
  func free(_ slot: TimerSlot) {
    slot.free()
    used.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Timers that found no room since the last call.
  func takeLost() -> UInt64 { lost.exchange(0, ordering: .relaxed) }

  /// How many slots are in use: to know whether there is anything to look through.
  var count: Int { used.load(ordering: .relaxed) }

  /// The slot that the one-shots of a loop share that were made at `origin`. On that loop's thread.
  func oneShot(origin: UInt64, of watched: WatchedLoop, at now: Nanoseconds) -> TimerSlot? {
    let first = Int(truncatingIfNeeded: (origin ^ UInt64(watched.id.rawValue) &* 0x9E37_79B9_7F4A_7C15) >> 3)
    for step in 0..<Self.oneShotCapacity {
      let entry = oneShots + ((first &+ step) & (Self.oneShotCapacity - 1))
      let place = entry.pointee.load(ordering: .acquiring)
      if place == 0 {
        guard let slot = take() else { return nil }
        slot.describe(origin: origin, interval: 0, at: now)
        slot.bind(to: watched)
        slot.begin()
        entry.pointee.store(UInt64(slot.index) + 1, ordering: .releasing)
        return slot
      }
      let known = slot(at: Int(place) - 1)
      if known.origin == origin, known.loop == watched.id { return known }
    }
    lost.wrappingAdd(1, ordering: .relaxed)
    return nil
  }
}
