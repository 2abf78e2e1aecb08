import StallwatchCore
import StallwatchStore

extension Catalog {
  static let standardLoop: [Measure<LoopReport, StoredMode>] =
    [
      .count("iterations", "iterations of a loop") { $0.iterations }.neutral()
        .shown("iterations", place: 0, leaving: 2).exported("loop_iterations"),
      .duration("busy", "time that a loop spent in runs without waiting: in `prepare`, `sources` and `service`") {
        $0.time.busy
      }.neutral().exported("loop_busy"),
      .duration("waiting", "time that a loop spent waiting") { $0.time.waiting }.neutral()
        .exported("loop_waiting"),
      .duration("outside", "time between runs; neither busy nor waiting") { $0.outside }.neutral(),
      .share("utilization", "busy ÷ (busy + waiting)") { $0.time.utilization }
        .limited().shown("busy", place: 1, leaving: nil),
      .rate(
        "hang_rate",
        "seconds of `microhang` or worse per hour of busy and waiting time; for the main loop including its aways"
      ) { $0.hangRate }.limited().shown("hang s/h", place: 4, leaving: nil),
      .rate("jank", "milliseconds by which spans exceed the frame budget, per second of busy time") { $0.jank }
        .json("jank_ms_per_s").limited().shown("jank ms/s", place: 5, leaving: 3),
      .distribution("span", "time between two heartbeats of a loop without a wait") { $0.span }
        .limited().shown("span", place: 2, leaving: 1, nil, nil).exported("span")
        .pooled { $0.metrics[.span].map { .distribution($0) } },
      .distribution("delay", "time from the enqueuing of an item of a queue or pool to its begin") { $0.delay }
        .limited().exported("queue_delay").pooled(queueDelay),
      .distribution("gap", "time from beforeSources to afterWaiting, including the wait") { $0.gap.all }
        .limited().exported("gap").pooled { $0.metrics[.gap].map { .distribution($0) } },
      .duration("gap_sources", "the part of the gaps that was work in sources") { $0.gap.sources }.neutral()
        .json("sources_ns", in: "gap_split"),
      .duration("gap_waiting", "the part of the gaps in which the loop slept") { $0.gap.waiting }.neutral()
        .json("waiting_ns", in: "gap_split"),
      .count("stalls", "its stalls, without congestion, aways and cancelled ones") { $0.stalls.count }
        .json("stall_count").limited().shown("stalls", place: 3, leaving: nil),
      .duration("stall_total", "the summed duration of these stalls") { $0.stalls.total },
    ]
    + Phase.allCases.map { phase in
      .distribution("\(phase.name)_phase", words(phase)) { $0.phases[phase] ?? DurationSummary() }
        .withoutJSON().limited(phase.name)
    }

  static let standardMode: [Measure<ModeReport, StoredMode>] =
    [
      .count("entries", "runs of the loop that began in this mode") { $0.entries }.neutral(),
      .count("iterations", "iterations in this mode") { $0.iterations }.neutral(),
      .duration("busy", "time in runs without waiting, in this mode") { $0.time.busy }.neutral(),
      .duration("waiting", "time spent waiting, in this mode") { $0.time.waiting }.neutral(),
      .duration("starved", "time for which its own sources could not run because a nested run was in another mode") {
        $0.starved
      }.limited(),
      .share("utilization", "busy ÷ (busy + waiting), in this mode") { $0.time.utilization }.limited(),
      .rate("jank", "milliseconds by which its spans exceed the frame budget, per second of busy time") { $0.jank }
        .json("jank_ms_per_s").limited(),
      .distribution("span", "time between two heartbeats of a loop in this mode without a wait") { $0.span }
        .limited().compared().pooled { $0.metrics[.span].map { .distribution($0) } },
      .distribution("delay", "time from the enqueuing of an item of a queue or pool to its begin") { $0.delay }
        .withoutJSON().compared().pooled(queueDelay),
    ]
    + Phase.allCases.map { phase in
      .distribution("\(phase.name)_phase", words(phase)) { $0.phases[phase] ?? DurationSummary() }
        .json(phase.name, in: "phases", isBrief: true).limited(phase.name)
    }

  /// For how long items waited. Only lanes of items tell it: a run loop that waits has nothing to do.
  private static let queueDelay: @Sendable (StoredMode) -> Tally? = { mode in
    mode.laneKind.isOfItems ? mode.metrics[.waiting].map { .distribution($0) } : nil
  }

  private static func words(_ phase: Phase) -> String { "length of one phase `\(phase.name)`, \(phase.bounds)" }
}

extension Phase {
  /// The activities that bound it.
  package var bounds: String {
    switch self {
    case .prepare: "beforeTimers → beforeSources"
    case .sources: "beforeSources → wait or next"
    case .waiting: "beforeWaiting → afterWaiting"
    case .service: "afterWaiting → beforeTimers"
    }
  }
}
