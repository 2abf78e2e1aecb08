import CStallwatch
import StallwatchCore

/// The monotonic clock as observers read it: by the processor's counter, where the kernel itself keeps time by it, and else by
/// the clock.
///
/// A clock read was most of the cost of an activity; the counter takes half of it. The watchdog takes a pair of counter and
/// clock when it looks. Converted times are within 1 µs of the clock (tools/bench/run others), so a moment
/// may lie that much before one that was read earlier in the other way: durations are never taken below 0.
public struct CounterClock: Sendable {
  private let conversion: CounterConversion

  /// Memory is taken once and never given back: a loop's thread may be reading. Nil when there is none.
  public init?() {
    guard let memory = ZeroedMemory.take(byteCount: CounterConversion.byteCount) else { return nil }
    conversion = CounterConversion(memory: memory)
  }

  /// Now. On a watched thread: no system call, no lock.
  @inline(__always)
  public func now() -> Nanoseconds { conversion.nanoseconds(at: stallwatch_counter()) ?? Platform.now() }

  /// Whether the counter is used just now.
  public var usesCounter: Bool { conversion.nanoseconds(at: stallwatch_counter()) != nil }

  /// Converts by this line from now on; nil: reads the clock. The watchdog only.
  fileprivate func set(_ line: CounterConversion.Line?) { conversion.set(line) }
}

/// Keeps a counter clock right. The watchdog only.
public struct CounterKeeper {
  private let clock: CounterClock
  private var calibration = CounterCalibration()
  private let isTrusted: Bool
  private var nextNs: Nanoseconds = 0

  /// A keeper of a clock; there is to be one.
  public init(_ clock: CounterClock) {
    self.clock = clock
    isTrusted = stallwatch_counter_is_constant() && Platform.keepsTimeByCounter()
  }

  /// Takes a pair, if the last one is old enough to tell a rate; some 300 ns. To be called whenever the watchdog looks: also
  /// when a loop has woken it after a rest, so that the rest of the callout is told by the counter.
  public mutating func refresh(at now: Nanoseconds) {
    guard isTrusted, now >= nextNs else { return }
    nextNs = now + CounterCalibration.shortestInterval
    clock.set(calibration.add(Self.pair()))
  }

  /// How often the counter is read between two clock readings: the closest of them is off by less than 50 ns, also where
  /// the thread lost its processor in one.
  private static let readings = 5

  private static func pair() -> CounterPair {
    var best: (width: Nanoseconds, pair: CounterPair)?
    for _ in 0..<readings {
      let before = Platform.now()
      let counter = stallwatch_counter()
      let width = Platform.now().since(before)
      if best.map({ width < $0.width }) ?? true {
        best = (width, CounterPair(counter: counter, ns: before + width / 2))
      }
    }
    return best.unsafelyUnwrapped.pair
  }
}
