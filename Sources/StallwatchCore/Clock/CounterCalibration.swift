/// Decides from pairs how to convert the counter, and whether to trust it at all. For the watchdog's thread.
///
/// It takes the rate between successive pairs, and uses a rate only when it agrees with the one before. So a counter
/// that jumps, that stops with a processor, or whose clock network time is correcting stays unused until two rates in a
/// row agree.
package struct CounterCalibration: Sendable {
  /// By how much two rates may differ, as the error over one second: converted times may be off by 1 µs.
  package static let tolerance: Nanoseconds = .microsecond
  /// Pairs closer together than this give no rate: a pair may be off by 50 ns, over 100 ms half a millionth.
  package static let shortestInterval: Nanoseconds = 100 * .millisecond
  /// For how long after its pair a conversion holds. While loops turn the watchdog takes a pair several times a second;
  /// after the whole program has rested, callers read the clock itself until the watchdog has looked.
  package static let longestUse: Nanoseconds = .second

  private var last: CounterPair?
  /// The rate of the last interval, in 2^-32 ns a count.
  private var rate: UInt64?
  /// Whether that rate agreed with the one before it.
  private var isAgreed = false

  /// A calibration that has no pair yet.
  package init() {}

  /// Takes the next pair. Returns the conversion to use from now on; nil: use none for now.
  package mutating func add(_ pair: CounterPair) -> CounterConversion.Line? {
    guard let last else {
      self.last = pair
      return nil
    }
    let elapsed = pair.ns.since(last.ns)
    if pair.counter > last.counter, elapsed < Self.shortestInterval {
      return isAgreed ? rate.map { line(from: pair, rate: $0) } : nil
    }
    let before = rate
    self.last = pair
    rate = Self.rate(from: last, to: pair)
    isAgreed = false
    guard let before, let rate else { return nil }
    let (high, low) = (max(before, rate), min(before, rate))
    let error = Double(high - low) / Double(high) * Double(Nanoseconds.second)
    isAgreed = error <= Double(Self.tolerance)
    return isAgreed ? line(from: pair, rate: rate) : nil
  }

  /// Nil for a counter that does not grow, or grows at a rate that no real counter has: outside 1 MHz to 16 GHz.
  private static func rate(from first: CounterPair, to second: CounterPair) -> UInt64? {
    guard second.counter > first.counter else { return nil }
    let rate = Double(second.ns.since(first.ns)) / Double(second.counter - first.counter)
    return (1.0 / 16...1_000).contains(rate) ? UInt64(rate * Double(1 << 32 as UInt64)) : nil
  }

  private func line(from pair: CounterPair, rate: UInt64) -> CounterConversion.Line {
    let counts = Double(Self.longestUse) / Double(rate) * Double(1 << 32 as UInt64)
    // Counts times rate must fit 64 bits; 2^31 ns do.
    return CounterConversion.Line(origin: pair, rate: rate, limit: UInt64(counts))
  }
}

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
