import StallwatchCore

/// The slots that the one-shot timers of one loop share, by the places that made them. Lies in the loop's memory; used
/// on the loop's thread only.
struct OneShotSlots {
  /// The most places that may make one-shots of one loop.
  static let capacity = 128
  /// How many entries to try before a one-shot counts as lost: bounds a callout's cost when the table is nearly full.
  private static let attempts = 16

  private struct Entry {
    var origin: UInt64
    /// Nil: free.
    var slot: UnsafeMutableRawPointer?
  }

  static let byteCount = capacity * MemoryLayout<Entry>.stride

  private let entries: UnsafeMutablePointer<Entry>

  /// Takes zeroed memory for the entries.
  init(memory: UnsafeMutableRawPointer) {
    entries = memory.bindMemory(to: Entry.self, capacity: Self.capacity)
  }

  /// The slot of the one-shots made at `origin`; calls `make` for the first of them. Nil when there is no room.
  func slot(origin: UInt64, make: () -> TimerSlot?) -> TimerSlot? {
    let first = Int(truncatingIfNeeded: (origin &* 0x9E37_79B9_7F4A_7C15) >> 32)
    for step in 0..<Self.attempts {
      let entry = entries + (first + step) % Self.capacity
      if let slot = entry.pointee.slot {
        if entry.pointee.origin == origin { return TimerSlot(memory: slot) }
        continue
      }
      guard let slot = make() else { return nil }
      entry.pointee = Entry(origin: origin, slot: slot.memory)
      return slot
    }
    return nil
  }

  /// Forgets all entries, before the memory is used again.
  func clear() { for place in 0..<Self.capacity { entries[place] = Entry(origin: 0, slot: nil) } }
}
