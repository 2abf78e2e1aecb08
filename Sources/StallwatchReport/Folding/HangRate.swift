import StallwatchCore
import StallwatchStore

/// Seconds of microhang or worse per hour of observed time.
enum HangRate {
  /// 3,600 × hang ÷ observed, where
  /// - hang is the time in spans of 250 ms or more, plus, for the main loop, its aways of 250 ms or more. Stalls give
  ///   the time in spans exactly where the session's threshold is at most 250 ms. Otherwise the span histogram gives
  ///   it, with each span in the middle of its counter;
  /// - observed is busy + waiting + unfinished stalls (the process died in them, or they still go on), plus, for the
  ///   main loop, its aways. Other time outside runs does not count: nothing was due there.
  ///
  /// Nil when nothing was observed.
  static func rate(
    stalls: StallCounts, isMain: Bool, spans: StoredMetric?, threshold: Nanoseconds, time: LoopTime
  ) -> Double? {
    let observed = [time.whole, stalls.unfinishedTotal, isMain ? stalls.awayTotal : 0].saturatingSum()
    guard observed > 0 else { return nil }
    let isCovered = threshold <= Severity.microhang.minimum
    let inSpans = isCovered ? stalls.hangTotal : spans?.sum(from: Severity.microhang.minimum) { $0 } ?? 0
    let hang = isMain ? inSpans.saturatingAdd(stalls.awayHangTotal) : inSpans
    return 3_600 * Double(hang) / Double(observed)
  }
}
