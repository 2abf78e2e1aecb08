import StallwatchCore
import StallwatchLibc

/// How many single events a cause's stalls are: of stalls that come in bursts, each burst is one.
enum Occurrences {
  /// How many of these starts stand for an event of their own in a session of this length.
  ///
  /// Single events lie as far apart as chance puts them: the gap to the next is shorter than a tenth of the mean gap
  /// once in ten times. Where that happens more often than chance makes it in 19 of 20 sessions, stalls come in bursts,
  /// and those that are no farther apart than the mean gap are one event.
  ///
  /// Where starts closer than `apart` to the one before were left out, only what a gap has beyond that is chance. Of
  /// single events, those parts of the gaps are spread as the gaps are where none were left out.
  static func count(_ starts: [Nanoseconds], apart: Nanoseconds = 0, length: Nanoseconds) -> Int {
    guard starts.count > 1 else { return starts.count }
    let starts = starts.sorted()
    let open = Double(length) - Double(apart) * Double(starts.count)
    let mean = max(open, 1) / Double(starts.count + 1)
    let gaps = zip(starts, starts.dropFirst()).map { Double($1.since($0).since(apart)) }
    let close = gaps.count { $0 < mean / 10 }
    guard Binomial.chance(atLeast: close, of: gaps.count, share: 1 - exp(-0.1)) < 0.05 else { return starts.count }
    return starts.count - gaps.count { $0 < mean }
  }

  /// By which factor counts of sessions vary more than those of single events do; 1 where chance may make as much. With
  /// fewer than three sessions nobody can tell.
  static func dispersion(_ counts: [Double], exposures: [Double]) -> Double {
    let (all, time) = (counts.reduce(0, +), exposures.reduce(0, +))
    guard counts.count > 2, all > 0, time > 0 else { return 1 }
    let squares = zip(counts, exposures).map { count, exposure -> Double in
      let expected = all * exposure / time
      return expected > 0 ? (count - expected) * (count - expected) / expected : 0
    }
    let (sum, degrees) = (squares.reduce(0, +), Double(counts.count - 1))
    return sum > Normal.likelyChiSquared(degrees: degrees) ? sum / degrees : 1
  }
}
