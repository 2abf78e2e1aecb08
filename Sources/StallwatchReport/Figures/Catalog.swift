import StallwatchCore
import StallwatchStore

/// Every figure of a report, declared once. The keys of JSON and of budgets, the columns of tables, the names of
/// metrics, what `diff` asks and the documents' tables are views of it: a new figure is one more entry.
///
/// The order is that of JSON reports.
package struct Catalog: Sendable {
  /// The figures of a loop. Pooled over the loop's modes.
  package var loop: [Measure<LoopReport, StoredMode>]
  /// The figures of one mode of a loop. One that is also a loop's has the same key, and shares its column.
  package var mode: [Measure<ModeReport, StoredMode>]
  /// The figures of all stalls together.
  package var stalls: [Measure<StallFigures, Never>]
  /// The figures of a timer.
  package var timer: [Measure<TimerReport, StoredTimer>]
  /// The figures of the drift of a loop, or of all loops. The table of drift has a row for each distribution.
  package var drift: [Measure<DriftReport, Never>]
  /// The figures of a monitor's health, in one session or in all.
  package var health: [Measure<HealthFigures, Never>]

  /// What Stallwatch reports.
  package static let standard = Catalog(
    loop: standardLoop, mode: standardMode, stalls: standardStalls, timer: standardTimer, drift: standardDrift,
    health: standardHealth)
}

/// What budgets limit and JSON reports show of all stalls together.
package struct StallFigures: Sendable {
  /// How many there were, and how long they lasted.
  package var counts: StallCounts
  /// The longest stall; nil where that is not asked for, as are the figures below.
  package var worst: Nanoseconds?
  /// The hang rate of the worst loop.
  package var hangRate: Double?
  /// The jank of the worst loop.
  package var jank: Double?

  /// The figures that counts alone yield.
  package init(counts: StallCounts) { self.counts = counts }
}
