import StallwatchCore
import StallwatchStore

/// Looks up the recorded value for each limit of a budget.
struct BudgetValues {
  let report: Report
  let allowed: AllowedStalls
  /// The longest stalls, without the allowed ones.
  let longest: LongestStalls

  /// The recorded value and the stall to look at; nil where the limit's subject was not seen. Several loops, timers or
  /// sessions of one name yield the worst value; stalls are counted over all.
  func value(of limit: BudgetLimit) -> (value: Double?, stall: Int64?)? {
    switch limit.subject {
    case .stalls: return report.sessions.isEmpty ? nil : stalls(limit.measure)
    case .health:
      return report.sessions.isEmpty
        ? nil : (report.catalog.health.value(limit.measure, of: report.health.figures), nil)
    case .lane(let name):
      if limit.measure == "hang_rate" {
        let loops = lanes(name)
        return loops.isEmpty
          ? nil : (hangRate(loops), longest.longest { stall in loops.contains { $0.id == stall.loop } }?.id)
      }
      return worst(
        lanes(name).map { loop in
          (
            report.catalog.loop.value(limit.measure, of: counted(loop)), longest.longest { $0.loop == loop.id }?.id
          )
        })
    case .mode(let name, let mode):
      let modes = lanes(name).flatMap { loop in loop.modes.filter { $0.name == mode && $0.wasRun }.map { (loop, $0) } }
      return worst(
        modes.map { loop, mode in
          (
            report.catalog.mode.value(limit.measure, of: mode),
            longest.longest { $0.loop == loop.id && $0.mode == mode.name }?.id
          )
        })
    case .timer(let name):
      let timers = report.timers.filter { $0.timer.record.name == name || $0.title == name }
      return worst(
        timers.map {
          // A timer that was never due proves nothing.
          ($0.timer.due > 0 ? report.catalog.timer.value(limit.measure, of: $0) : nil, $0.timer.stalls.worst?.stall)
        })
    case .drift:
      return report.drift.map { (report.catalog.drift.value(limit.measure, of: $0), longest.longest()?.id) }
    }
  }

  /// Why a subject has no value, in words.
  func whyUnseen(_ subject: BudgetLimit.Subject) -> String {
    let seen: (String, [String]) =
      switch subject {
      case .stalls, .health: ("nothing was observed", [])
      case .lane: ("no such lane was seen", report.loops.map(\.name))
      case .mode(let name, _): ("no such mode was seen", lanes(name).flatMap { $0.modes.map(\.name) })
      case .timer: ("no such timer was seen", report.timers.map(\.title))
      case .drift: ("the drift probe was off", [])
      }
    var names: [String] = []
    for name in seen.1 where !names.contains(name) { names.append(name) }
    let some = names.prefix(3).map { "\"\(DisplayText.name($0, to: 60))\"" }
    return some.isEmpty
      ? seen.0 : "\(seen.0); the store has \(Figure.list(some + (names.count > 3 ? ["\(names.count - 3) more"] : [])))"
  }

  private func lanes(_ name: String) -> [LoopReport] { report.loops.filter { $0.name == name && $0.wasObserved } }

  private func worst(_ values: [(Double?, Int64?)]) -> (value: Double?, stall: Int64?)? {
    guard let first = values.first else { return nil }
    return values.dropFirst().reduce(first) { ($1.0 ?? -1) > ($0.0 ?? -1) ? $1 : $0 }
  }

  private func stalls(_ measure: String) -> (value: Double?, stall: Int64?)? {
    guard report.loops.contains(where: \.wasObserved) else { return nil }
    let kind = StallKind(rawValue: measure) ?? .stall
    let meant = longest.longest { $0.kind == kind && ($0.isFatal || measure != "fatal") }
    let loops = report.loops.map(counted)
    var figures = StallFigures(counts: report.stalls.counts.without(allowed.counts))
    figures.worst = meant?.duration ?? 0
    figures.hangRate = Dictionary(grouping: report.loops.filter(\.wasObserved), by: \.name).values
      .compactMap(hangRate).max()
    figures.jank = loops.compactMap(\.jank).max()
    return (report.catalog.stalls.value(measure, of: figures), meant?.id)
  }

  /// The least time over which a hang rate counts. What was seen for less does not show what an hour would be like.
  private static let leastObserved = 60 * Nanoseconds.second

  /// The hang rate of loops of one name together, without the allowed stalls; nil where it is unknown.
  private func hangRate(_ loops: [LoopReport]) -> Double? {
    let known = loops.filter { $0.hangRate != nil }
    guard !known.isEmpty else { return nil }
    let times = known.map { loop -> (hang: Double, observed: Double) in
      let observed = [
        loop.time.whole, loop.stalls.unfinishedTotal, loop.isMain ? loop.stalls.awayTotal : 0,
      ].saturatingSum()
      return ((counted(loop).hangRate ?? 0) * Double(observed), Double(observed))
    }
    let observed = times.reduce(0) { $0 + $1.observed }
    return times.reduce(0) { $0 + $1.hang } / max(observed, Double(Self.leastObserved))
  }

  /// The loop without the allowed stalls. Percentiles and jank include them.
  private func counted(_ loop: LoopReport) -> LoopReport {
    guard let others = allowed.byLoop[loop.id] else { return loop }
    var rest = loop
    rest.stalls = loop.stalls.without(others)
    let all = loop.stalls.hangTime(isMain: loop.isMain)
    if let rate = loop.hangRate, all > 0 {
      rest.hangRate = rate * Double(rest.stalls.hangTime(isMain: loop.isMain)) / Double(all)
    }
    return rest
  }
}
