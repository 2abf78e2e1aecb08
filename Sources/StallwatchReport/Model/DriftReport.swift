import StallwatchCore

/// How late a run loop was for moments that a GCD timer was to serve as well: the control that tells the loop's fault from
/// the machine's.
public struct DriftReport: Sendable {
  /// The time between two ticks; nil where only one is known.
  public var interval: Nanoseconds?
  /// Ticks that the loop was to serve.
  public var ticks: UInt64 = 0
  /// Those of them that it dropped, because it had not served an earlier one.
  public var dropped: UInt64 = 0
  /// How late the loop served them.
  public var runLoop = DurationSummary()
  /// How late the GCD timer fired.
  public var gcd = DurationSummary()
  /// The loop's lateness minus the GCD timer's, tick by tick: below 0 where the GCD timer was the later one.
  public var drift = SignedSummary()
  /// How the loop's lateness grew, in millionths: nanoseconds in a second, divided by 1,000; nil for fewer than two ticks.
  public var slope: Double?
  /// Shares of the loop's lateness beyond ``leastLateness``; nil where there was none.
  public var explained: Explanation?
  /// The worst lateness of either by slices of the time that was watched, for a plot.
  public var series: [Slice] = []

  /// What made a loop late.
  public struct Explanation: Sendable, Equatable {
    /// The GCD timer, which no loop can hold up, was late for the same moment.
    public var machine: Double
    /// A stall of the loop was going on.
    public var stalls: Double
    /// The loop ran in modes that the probe is not in.
    public var otherModes: Double
    /// What is left: work shorter than a stall, mostly.
    public var rest: Double { max(0, 1 - machine - stalls - otherModes) }
  }

  /// A slice of time.
  public struct Slice: Sendable, Equatable {
    /// The worst lateness of the loop; nil where it served nothing.
    public var runLoop: Nanoseconds?
    /// The worst lateness of the GCD timer.
    public var gcd: Nanoseconds?
  }

  /// So many loops have a plot.
  static let mostPlots = 200

  /// Lateness up to this is on time: a thread that is woken takes some tenths of it on a machine at rest.
  public static let leastLateness: Nanoseconds = 1 * .millisecond

  /// Whose fault it is, in one sentence.
  public var verdict: String {
    guard runLoop.count > 0, let worst = runLoop.maximum else { return "No tick was served." }
    guard let explained, let p99 = runLoop.p99, p99 > Self.leastLateness || worst > 20 * Self.leastLateness else {
      return "On time: 99 in 100 ticks were served within \(Figure.duration(runLoop.p99))."
    }
    let parts: [(share: Double, text: String)] = [
      (explained.stalls, "stalls explain \(Figure.share(explained.stalls)) of it"),
      (explained.otherModes, "runs in other modes \(Figure.share(explained.otherModes))"),
      (explained.machine, "the machine \(Figure.share(explained.machine))"),
      (explained.rest, "shorter work \(Figure.share(explained.rest))"),
    ]
    let list = parts.filter { $0.share >= 0.005 }.map(\.text).joined(separator: ", ")
    let late = "99 in 100 ticks within \(Figure.duration(runLoop.p99)), the worst \(Figure.duration(worst)) late"
    if explained.machine >= max(explained.stalls + explained.otherModes, explained.rest) {
      return
        "The machine was late: the GCD timer, which no loop can hold up, was as late for "
        + "\(Figure.share(explained.machine)) of the loop's lateness (\(late))."
    }
    return "The loop itself was late: \(late), while the GCD timer kept within \(Figure.duration(gcd.p99)); \(list)."
  }
}

/// Figures of times that may lie below 0.
public struct SignedSummary: Sendable, Equatable {
  /// How many.
  public var count: UInt64 = 0
  /// The median; nil when there are none. So the others.
  public var p50: Int64?
  /// 90 in 100 are not more.
  public var p90: Int64?
  /// 99 in 100 are not more.
  public var p99: Int64?
  /// 999 in 1,000 are not more.
  public var p999: Int64?
  /// The most, exact.
  public var maximum: Int64?
}
