import StallwatchCore
import StallwatchStore

extension Catalog {
  static let standardTimer: [Measure<TimerReport, StoredTimer>] = [
    .count("due", "due times of a timer: those that it fired at, and those that it dropped") { $0.timer.due }
      .neutral().shown("due", leaving: 2),
    .count("fired", "callouts of a timer") { $0.timer.ledger.fired }.neutral().shown("fired", leaving: nil)
      .exported("timer_fires"),
    .count("dropped", "due times of a timer that no callout served") { $0.timer.ledger.dropped }
      .limited().shown("dropped", leaving: nil).exported("timer_dropped_fires"),
    .share("dropped_share", "the share of due times that no callout served") {
      $0.timer.due > 0 ? Double($0.timer.ledger.dropped) / Double($0.timer.due) : nil
    }.withoutJSON().limited().compared("dropped", "dropped fires")
      .pooled { .share(part: $0.ledger.dropped, whole: $0.due) },
    .count("dropped_outside", "due times dropped while the loop was outside any run") {
      $0.timer.ledger.droppedOutside
    },
    .count("coalesced", "callouts that stood for more than one due time") { $0.timer.ledger.coalesced },
    .count("rearmed", "how often the program gave it another fire date") { $0.timer.ledger.rearmed }.neutral(),
    .count("interval_changes", "how often the program gave it another interval") {
      $0.timer.ledger.intervalChanges
    }.neutral(),
    .distribution("lateness", "how late a timer's callouts began") { $0.lateness }
      .limited().shown("late", quantiles: [.p99, .maximum], leaving: nil, 4).exported("timer_lateness").compared()
      .pooled { $0.lateness.map { .distribution($0) } },
    .duration("callout_total", "summed time in its own callout") { $0.timer.ledger.calloutTotal }
      .json("total", in: "callout_ns"),
    .duration("callout_max", "longest time in its own callout") { $0.timer.ledger.calloutMaximum }
      .json("max", in: "callout_ns"),
    .count("stalls", "how many stalls hurt it") { $0.timer.stalls.count }.withoutJSON().shown("stalls", leaving: nil),
  ]

  static let standardDrift: [Measure<DriftReport, Never>] = [
    .duration("interval", "the time between two ticks") { $0.interval }.neutral(),
    .count("ticks", "ticks that were asked of the loop: while a loop turns, each that came due") { $0.ticks }.neutral(),
    .count("dropped", "ticks for which the loop was still late for an earlier one") { $0.dropped }.limited(),
    .distribution("run_loop", "the run loop's lateness") { $0.runLoop }
      .json("run_loop_lateness_ns").limited().shown("run loop", quantiles: Quantile.wide)
      .exported("drift_lateness"),
    .distribution("gcd", "the lateness of the GCD timer beside it") { $0.gcd }
      .json("gcd_lateness_ns").limited().shown("GCD timer", quantiles: Quantile.wide).exported("drift_lateness"),
    .signedDistribution(
      "drift",
      "the run loop's lateness minus the GCD timer's, tick by tick; may be below 0. The percentiles of all three "
        + "distributions are within 1 %, or 256 ns; `max` is exact"
    ) { $0.drift }.limited("").shown("drift", quantiles: Quantile.wide),
    .rate("slope", "how the loop's lateness changed with time, in millionths") { $0.slope }.json("slope_ppm"),
    .share(
      "explained_by_stalls",
      "of the summed lateness of ticks that the loop served more than 1 ms late, the part that fell into stalls. "
        + "The 16 latest of each minute are kept one by one, and the less late half of them stands for those that are not; "
        + "of more than 100,000, an even share stands for all. `null` where there was none, or where they were removed"
    ) { $0.explained?.stalls }.neutral(),
    .share(
      "explained_by_modes", "the part that fell into runs in other modes; what is left of all three is unexplained"
    ) {
      $0.explained?.otherModes
    }.neutral(),
    .share(
      "explained_by_machine",
      "the part by which the GCD timer was late as well (for a tick that it dropped: until it served the one before); "
        + "comes before the other two"
    ) { $0.explained?.machine }.neutral(),
  ]
}
