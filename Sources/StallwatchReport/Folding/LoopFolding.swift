import StallwatchCore
import StallwatchStore

/// Folds a loop's modes into figures. Merged histograms are dropped at once: a report keeps only summaries.
struct LoopFolding {
  var frameBudget: Nanoseconds

  /// The loop's figures over all its `modes`. `threshold` is its session's.
  func fold(_ loop: StoredLoop, modes: [StoredMode], stalls: StallCounts, threshold: Nanoseconds) -> LoopReport {
    let folded = modes.map(fold)
    let merged = { (metric: Metric) in StoredMetric(merging: modes.compactMap { $0.metrics[metric] }) }
    let summary = { (metric: Metric) in merged(metric).map { DurationSummary($0) } ?? DurationSummary() }
    let spans = merged(.span)
    let busy = folded.map(\.busy).saturatingSum()
    let waiting = folded.map(\.waiting).saturatingSum()
    return LoopReport(
      id: loop.id,
      session: loop.session,
      name: loop.record.name,
      threadID: loop.record.threadID,
      isMain: loop.record.isMain,
      iterations: folded.map(\.iterations).saturatingSum(),
      busy: busy,
      waiting: waiting,
      outside: loop.outside,
      utilization: Self.utilization(busy: busy, waiting: waiting),
      hangRate: HangRate.rate(
        stalls: stalls, isMain: loop.record.isMain, spans: spans, threshold: threshold, busy: busy, waiting: waiting),
      jank: Jank.rate(excess: spans.map { Jank.excess(of: $0, over: frameBudget) } ?? 0, busy: busy),
      span: spans.map { DurationSummary($0) } ?? DurationSummary(),
      gap: GapSummary(all: summary(.gap), waiting: waiting),
      phases: Dictionary(uniqueKeysWithValues: Phase.allCases.map { ($0, summary(Metric($0))) }),
      stalls: stalls,
      modes: folded)
  }

  private func fold(_ mode: StoredMode) -> ModeReport {
    let total = { (phase: Phase) in mode.metrics[Metric(phase)]?.total ?? 0 }
    let busy = [total(.prepare), total(.sources), total(.service)].saturatingSum()
    let summary = { (metric: Metric) in mode.metrics[metric].map { DurationSummary($0) } ?? DurationSummary() }
    return ModeReport(
      name: mode.name,
      entries: mode.entries,
      iterations: mode.iterations,
      busy: busy,
      waiting: total(.waiting),
      starved: mode.starved,
      utilization: Self.utilization(busy: busy, waiting: total(.waiting)),
      jank: Jank.rate(
        excess: mode.metrics[.span].map { Jank.excess(of: $0, over: frameBudget) } ?? 0, busy: busy),
      span: summary(.span),
      phases: Dictionary(uniqueKeysWithValues: Phase.allCases.map { ($0, summary(Metric($0))) }))
  }

  /// busy ÷ (busy + waiting), which is 1 minus the waiting share. Nil when both are 0.
  private static func utilization(busy: Nanoseconds, waiting: Nanoseconds) -> Double? {
    busy > 0 || waiting > 0 ? Double(busy) / (Double(busy) + Double(waiting)) : nil
  }
}
