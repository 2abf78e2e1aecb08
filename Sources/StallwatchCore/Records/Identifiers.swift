/// A run loop within one session: 1, 2, 3 … in the order in which loops were first seen. Never reused.
package struct LoopID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number, from 1.
  package let rawValue: UInt32
  /// The loop numbered `rawValue`.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Orders by number.
  package static func < (left: LoopID, right: LoopID) -> Bool { left.rawValue < right.rawValue }
}

/// A stall within one session: 1, 2, 3 … in the order in which stalls became known. Never reused.
package struct StallID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number, from 1.
  package let rawValue: UInt64
  /// The stall numbered `rawValue`.
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// Orders by number.
  package static func < (left: StallID, right: StallID) -> Bool { left.rawValue < right.rawValue }
}

/// A timer within one session: 1, 2, 3 … in the order in which timers entered the ledger. Never reused.
package struct TimerID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number, from 1.
  package let rawValue: UInt64
  /// The timer numbered `rawValue`.
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// Orders by number.
  package static func < (left: TimerID, right: TimerID) -> Bool { left.rawValue < right.rawValue }
}
