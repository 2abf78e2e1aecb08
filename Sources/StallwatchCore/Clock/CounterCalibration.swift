/// Decides from pairs how the counter is converted, and whether it is to be trusted at all.
///
/// The rate is taken between pairs that follow each other; it counts only when it agrees with the one before. So a counter
/// that jumps, that stops with a processor, or whose clock is being set right by the network's time, is not used until
/// two rates in a row are the same.
public struct CounterCalibration: Sendable {
  /// By how much two rates may differ, as an error over a second: 1 µs is what converted times may be off.
  public static let tolerance: Nanoseconds = .microsecond
  /// Pairs closer together than this tell no rate: 100 ms make of the 50 ns that a pair may be off half a millionth.
  public static let shortestInterval: Nanoseconds = 100 * .millisecond
  /// For how long after its pair a conversion holds. While loops turn the watchdog takes one several times a
  /// second; after a rest of the whole program the clock itself is read until it has looked.
  public static let longestUse: Nanoseconds = .second

  private var last: CounterPair?
  /// The rate of the last interval, in 2^-32 ns a count.
  private var rate: UInt64?
  /// Whether that rate agreed with the one before.
  private var isAgreed = false

  /// A calibration without any pair.
  public init() {}

  /// Takes the next pair. Returns how to convert from now on; nil: not at all for now.
  public mutating func add(_ pair: CounterPair) -> CounterConversion.Line? {
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

  /// Nil for a counter that does not grow, or grows so slowly or fast that no counter does: 1 MHz to 16 GHz.
  private static func rate(from first: CounterPair, to second: CounterPair) -> UInt64? {
    guard second.counter > first.counter else { return nil }
    let rate = Double(second.ns.since(first.ns)) / Double(second.counter - first.counter)
    return (1.0 / 16...1_000).contains(rate) ? UInt64(rate * Double(1 << 32 as UInt64)) : nil
  }

  private func line(from pair: CounterPair, rate: UInt64) -> CounterConversion.Line {
    let counts = Double(Self.longestUse) / Double(rate) * Double(1 << 32 as UInt64)
    // Counts times rate are to fit 64 bits; 2^31 ns do.
    return CounterConversion.Line(origin: pair, rate: rate, limit: UInt64(counts))
  }
}
