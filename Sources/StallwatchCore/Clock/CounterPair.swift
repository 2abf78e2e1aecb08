/// A reading of the processor's counter and of the monotonic clock at nearly the same moment.
public struct CounterPair: Equatable, Sendable {
  /// The counter.
  public var counter: UInt64
  /// The clock, in nanoseconds.
  public var ns: Nanoseconds

  /// A pair.
  public init(counter: UInt64, ns: Nanoseconds) {
    self.counter = counter
    self.ns = ns
  }
}
