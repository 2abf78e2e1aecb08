import CStallwatch
import StallwatchCore

/// The monotonic clock as observers read it: by the processor's counter if the kernel itself keeps time by it,
/// otherwise by the clock.
///
/// A clock read was most of the cost of an activity; the counter halves it. The watchdog pairs counter and clock when
/// it looks. Converted times are within 1 µs of the clock (tools/bench/run others), so a time may lie that much before
/// one that was read earlier in the other way: durations are never taken below 0.
package struct CounterClock: Sendable {
  private let conversion: CounterConversion

  /// Takes memory that is never given back, because a loop's thread may be reading it. Nil when there is none.
  package init?() {
    guard let memory = ZeroedMemory.allocate(byteCount: Self.byteCount) else { return nil }
    self.init(memory: memory)
  }

  /// The zeroed memory that a clock takes, in bytes.
  static var byteCount: Int { CounterConversion.byteCount }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed.
  init(memory: UnsafeMutableRawPointer) { conversion = CounterConversion(memory: memory) }

  /// The present time in nanoseconds. Safe on a watched thread: no system call, no lock.
  @inline(__always)
  package func now() -> Nanoseconds { counted ?? Platform.now() }

  /// The present time by the counter; nil while only the system's clock knows it. Safe on a watched thread.
  @inline(__always)
  var counted: Nanoseconds? { conversion.nanoseconds(at: stallwatch_counter()) }

  /// Whether the clock converts the counter at present, rather than reading the system's clock. Any thread.
  package var usesCounter: Bool { counted != nil }

  /// Converts by this line from now on; nil: reads the clock. Watchdog's thread only.
  fileprivate func set(_ line: CounterConversion.Line?) { conversion.set(line) }
}

/// Keeps a counter clock calibrated. Watchdog's thread only.
package struct CounterKeeper {
  private let clock: CounterClock
  private var calibration = CounterCalibration()
  private let isTrusted: Bool
  private var nextNs: Nanoseconds = 0

  /// Makes the keeper of a clock; a clock has one keeper.
  package init(_ clock: CounterClock) {
    self.clock = clock
    isTrusted = stallwatch_counter_is_constant() && Platform.keepsTimeByCounter()
  }

  /// Takes a pair of counter and clock if the last one is old enough to give a rate; some 300 ns. Call it whenever the
  /// watchdog looks, also when a loop has woken it after a rest, so that the counter times the rest of the callout.
  package mutating func refresh(at now: Nanoseconds) {
    guard isTrusted, now >= nextNs else { return }
    nextNs = now + CounterCalibration.shortestInterval
    clock.set(calibration.add(Self.pair()))
  }

  /// How many pairs of clock reads enclose a read of the counter. The closest is off by less than 50 ns, even if the
  /// thread lost its processor in one.
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
