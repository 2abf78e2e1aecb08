import StallwatchCore
import StallwatchStore

/// Seconds of microhang or worse per hour of observed time.
enum HangRate {
  /// 3,600 × hang ÷ observed, where
  /// - hang is the time in spans of 250 ms or more: exact, from the stalls, where the session's threshold is no higher
  ///   than that; otherwise from the counters of the span histogram, each span in the middle of its counter,
  ///   and of the main loop the time that its thread was away for 250 ms or more at a time;
  /// - observed is busy + waiting + the stalls that were never over (the process died in them, or they still go on), and of
  ///   the main loop the time that its thread was away. Other time outside runs does not count: nothing was due there.
  ///
  /// Nil when nothing was observed.
  static func rate(
    stalls: StallCounts, isMain: Bool, spans: StoredMetric?, threshold: Nanoseconds, busy: Nanoseconds,
    waiting: Nanoseconds
  ) -> Double? {
    let observed = [busy, waiting, stalls.unfinishedTotal, isMain ? stalls.awayTotal : 0].saturatingSum()
    guard observed > 0 else { return nil }
    let isCovered = threshold <= Severity.microhang.minimum
    let inSpans = isCovered ? stalls.hangTotal : spans?.sum(from: Severity.microhang.minimum) { $0 } ?? 0
    let hang = isMain ? inSpans.saturatingAdd(stalls.awayHangTotal) : inSpans
    return 3_600 * Double(hang) / Double(observed)
  }
}
