/// A run loop within one session: 1, 2, 3 … in the order in which loops were first seen. Never reused.
public struct LoopID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt32
  /// A loop's number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// In the order of the numbers.
  public static func < (left: LoopID, right: LoopID) -> Bool { left.rawValue < right.rawValue }
}

/// A stall within one session: 1, 2, 3 … in the order in which stalls became known. Never reused.
public struct StallID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64
  /// A stall's number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// In the order of the numbers.
  public static func < (left: StallID, right: StallID) -> Bool { left.rawValue < right.rawValue }
}

/// A timer within one session: 1, 2, 3 … in the order in which timers came into the ledger. Never reused.
public struct TimerID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64
  /// A timer's number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// In the order of the numbers.
  public static func < (left: TimerID, right: TimerID) -> Bool { left.rawValue < right.rawValue }
}
