import StallwatchCore
import StallwatchStore

/// Folds a loop's modes into figures. Merged histograms are dropped at once: a report keeps only summaries.
struct LoopFolding {
  var frameBudget: Nanoseconds

  /// The loop's figures over all its `modes`. `threshold` is its session's.
  func fold(_ loop: StoredLoop, modes: [StoredMode], stalls: StallCounts, threshold: Nanoseconds) -> LoopReport {
    let isOfItems = loop.record.kind.isOfItems
    let folded = modes.map(fold)
    let merged = { (metric: Metric) in StoredMetric(merging: modes.compactMap { $0.metrics[metric] }) }
    let summary = { (metric: Metric) in merged(metric).map { DurationSummary($0) } ?? DurationSummary() }
    let spans = merged(.span)
    let time = folded.reduce(into: LoopTime()) { $0.add($1.time) }
    return LoopReport(
      id: loop.id,
      session: loop.session,
      name: loop.record.name,
      threadID: loop.record.threadID,
      isMain: loop.record.isMain,
      kind: loop.record.kind,
      iterations: folded.map(\.iterations).saturatingSum(),
      time: time,
      outside: loop.outside,
      hangRate: isOfItems
        ? nil
        : HangRate.rate(
          stalls: stalls, isMain: loop.record.isMain, spans: spans, threshold: threshold, time: time),
      jank: isOfItems ? nil : jank(spans, busy: time.busy, isCut: modes.contains(where: \.isCutByTime)),
      span: spans.map { DurationSummary($0) } ?? DurationSummary(),
      delay: isOfItems ? summary(.waiting) : DurationSummary(),
      gap: GapSummary(all: summary(.gap), waiting: time.waiting),
      phases: isOfItems
        ? [:] : Dictionary(uniqueKeysWithValues: Phase.allCases.map { ($0, summary(Metric($0))) }),
      stalls: stalls,
      modes: folded)
  }

  private func fold(_ mode: StoredMode) -> ModeReport {
    let isOfItems = mode.laneKind.isOfItems
    let time = LoopTime(mode)
    let summary = { (metric: Metric) in mode.metrics[metric].map { DurationSummary($0) } ?? DurationSummary() }
    return ModeReport(
      name: mode.name,
      entries: mode.entries,
      iterations: mode.iterations,
      time: time,
      starved: mode.starved,
      jank: isOfItems ? nil : jank(mode.metrics[.span], busy: time.busy, isCut: mode.isCutByTime),
      span: summary(.span),
      delay: isOfItems ? summary(.waiting) : DurationSummary(),
      phases: isOfItems
        ? [:] : Dictionary(uniqueKeysWithValues: Phase.allCases.map { ($0, summary(Metric($0))) }))
  }

  /// Jank in ms per second of activity. Of a part of a session, the spans are those of whole windows, and so is their
  /// time.
  private func jank(_ spans: StoredMetric?, busy: Nanoseconds, isCut: Bool) -> Double? {
    guard let spans else { return Jank.rate(excess: 0, busy: busy) }
    return Jank.rate(excess: Jank.excess(of: spans, over: frameBudget), busy: isCut ? spans.total : busy)
  }
}
