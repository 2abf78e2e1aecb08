import StallwatchCore

/// How late a run loop served ticks that a GCD timer served at the same moments. The GCD timer is the control that
/// separates the loop's fault from the machine's.
package struct DriftReport: Sendable {
  /// The time between two ticks; nil where only one tick is known.
  package var interval: Nanoseconds?
  /// Ticks due on the loop.
  package var ticks: UInt64 = 0
  /// Ticks that the loop dropped because it had not yet served an earlier one.
  package var dropped: UInt64 = 0
  /// The loop's lateness.
  package var runLoop = DurationSummary()
  /// The GCD timer's lateness.
  package var gcd = DurationSummary()
  /// The loop's lateness minus the GCD timer's, tick by tick; negative where the GCD timer was later.
  package var drift = SignedSummary()
  /// Growth of the loop's lateness in parts per million (microseconds per second); nil for fewer than two served ticks.
  package var slope: Double?
  /// What explains the lateness of ticks later than `DriftTick.leastLateness`; nil where there are none, or none is kept.
  package var explained: Explanation?
  /// The worst lateness of loop and GCD timer in equal slices of the watched time, for a plot.
  package var series: [Slice] = []

  /// Shares of a loop's lateness by cause, each 0…1.
  package struct Explanation: Sendable, Equatable {
    /// The GCD timer, which no loop can hold up, was late at the same moment.
    package var machine: Double
    /// The loop was in a stall.
    package var stalls: Double
    /// The loop ran in modes without the probe.
    package var otherModes: Double
    /// The remainder: mostly work shorter than a stall.
    package var rest: Double { max(0, 1 - machine - stalls - otherModes) }
  }

  /// One slice of the plot.
  package struct Slice: Sendable, Equatable {
    /// The loop's worst lateness; nil where it served no tick.
    package var runLoop: Nanoseconds?
    /// The GCD timer's worst lateness; nil where it served no tick.
    package var gcd: Nanoseconds?
  }

  /// The most loops that get a plot.
  static let mostPlots = 200

  /// One sentence on whose fault the lateness is.
  package var verdict: String {
    guard runLoop.count > 0, let worst = runLoop.maximum else { return "No tick was served." }
    guard let p99 = runLoop[.p99], p99 > DriftTick.leastLateness || worst > 20 * DriftTick.leastLateness else {
      return "On time: 99 in 100 ticks were served within \(Figure.duration(runLoop[.p99]))."
    }
    let late = "99 in 100 ticks within \(Figure.duration(p99)), the worst \(Figure.duration(worst)) late"
    guard let explained else { return "The loop was late: \(late); the ticks that would say why were removed." }
    let parts: [(share: Double, text: String)] = [
      (explained.stalls, "stalls explain \(Figure.share(explained.stalls)) of it"),
      (explained.otherModes, "runs in other modes \(Figure.share(explained.otherModes))"),
      (explained.machine, "the machine \(Figure.share(explained.machine))"),
      (explained.rest, "shorter work \(Figure.share(explained.rest))"),
    ]
    let list = parts.filter { $0.share >= 0.005 }.map(\.text).joined(separator: ", ")
    if explained.machine >= max(explained.stalls + explained.otherModes, explained.rest) {
      return
        "The machine was late: the GCD timer, which no loop can hold up, was as late for "
        + "\(Figure.share(explained.machine)) of the loop's lateness (\(late))."
    }
    return "The loop itself was late: \(late), while the GCD timer kept within \(Figure.duration(gcd[.p99])); \(list)."
  }
}
