/// A reading of the processor's counter and one of the monotonic clock, taken at nearly the same moment.
package struct CounterPair: Equatable, Sendable {
  /// The counter's value, in the processor's own counts.
  package var counter: UInt64
  /// The monotonic clock, in nanoseconds.
  package var ns: Nanoseconds

  /// Sets both readings as given.
  package init(counter: UInt64, ns: Nanoseconds) {
    self.counter = counter
    self.ns = ns
  }
}
