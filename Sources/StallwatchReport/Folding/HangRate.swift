import StallwatchCore
import StallwatchStore

/// Seconds of microhang or worse per hour of observed time.
enum HangRate {
  /// 3,600 × hang ÷ observed, where
  /// - hang is the time in spans of 250 ms or more: exact, from the stalls, where the session's threshold is no higher
  ///   than that; otherwise from the counters of the span histogram, each span in the middle of its counter;
  /// - observed is busy + waiting + the stalls that were never over (the process died in them, or they still go on).
  ///   Time outside runs does not count: no span could be seen there.
  ///
  /// Nil when nothing was observed.
  static func rate(
    stalls: StallCounts, spans: StoredMetric?, threshold: Nanoseconds, busy: Nanoseconds, waiting: Nanoseconds
  ) -> Double? {
    let observed = [busy, waiting, stalls.unfinishedTotal].saturatingSum()
    guard observed > 0 else { return nil }
    let isCovered = threshold <= Severity.microhang.minimum
    let hang = isCovered ? stalls.hangTotal : spans?.sum(from: Severity.microhang.minimum) { $0 } ?? 0
    return 3_600 * Double(hang) / Double(observed)
  }
}
