import StallwatchCore

/// Which slots the one-shot timers of one loop share, by the places that they were made at. Lies in the loop's memory; used
/// on the loop's thread only.
struct OneShotSlots {
  /// Places that one loop's one-shots may be made at.
  static let capacity = 128
  /// How many entries are looked at before a one-shot is counted as lost: a table that is nearly full must not cost a
  /// callout more than this.
  private static let attempts = 16

  private struct Entry {
    var origin: UInt64
    /// Nil: free.
    var slot: UnsafeMutableRawPointer?
  }

  static let byteCount = capacity * MemoryLayout<Entry>.stride

  private let entries: UnsafeMutablePointer<Entry>

  /// Memory for the entries, zeroed.
  init(memory: UnsafeMutableRawPointer) {
    entries = memory.bindMemory(to: Entry.self, capacity: Self.capacity)
  }

  /// The slot of the one-shots that were made at `origin`, made by `make` for the first. Nil when there is no room.
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

  /// Forgets all, for memory that is used again.
  func clear() { for place in 0..<Self.capacity { entries[place] = Entry(origin: 0, slot: nil) } }
}
