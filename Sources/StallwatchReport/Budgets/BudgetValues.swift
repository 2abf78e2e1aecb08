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
    case .store:
      guard !report.sessions.isEmpty else { return nil }
      return limit.key.hasPrefix("health.") ? (health(limit.measure), nil) : stalls(limit.measure)
    case .loop(let name):
      return worst(
        loops(name).map { loop in
          (self.loop(loop, limit.measure), longest.longest { $0.loop == loop.id }?.id)
        })
    case .mode(let name, let mode):
      let modes = loops(name).flatMap { loop in loop.modes.filter { $0.name == mode && $0.wasRun }.map { (loop, $0) } }
      return worst(
        modes.map { loop, mode in
          (self.mode(mode, limit.measure), longest.longest { $0.loop == loop.id && $0.mode == mode.name }?.id)
        })
    case .timer(let name):
      let timers = report.timers.filter { $0.timer.record.name == name || $0.title == name }
      return worst(timers.map { (timer($0, limit.measure), $0.timer.stalls.worst?.stall) })
    case .drift:
      return report.drift.map { (drift($0, limit.measure), longest.longest()?.id) }
    }
  }

  /// Why a subject has no value, in words.
  func whyUnseen(_ subject: BudgetLimit.Subject) -> String {
    let seen: (String, [String]) =
      switch subject {
      case .store: ("nothing was observed", [])
      case .loop: ("no such loop was seen", report.loops.map(\.name))
      case .mode(let name, _): ("no such mode was seen", loops(name).flatMap { $0.modes.map(\.name) })
      case .timer: ("no such timer was seen", report.timers.map(\.title))
      case .drift: ("the drift probe was off", [])
      }
    var names: [String] = []
    for name in seen.1 where !names.contains(name) { names.append(name) }
    let some = names.prefix(3).map { "\"\(DisplayText.name($0, to: 60))\"" }
    return some.isEmpty
      ? seen.0 : "\(seen.0); the store has \(Figure.list(some + (names.count > 3 ? ["\(names.count - 3) more"] : [])))"
  }

  private func loops(_ name: String) -> [LoopReport] { report.loops.filter { $0.name == name && $0.wasObserved } }

  private func worst(_ values: [(Double?, Int64?)]) -> (value: Double?, stall: Int64?)? {
    guard let first = values.first else { return nil }
    return values.dropFirst().reduce(first) { ($1.0 ?? -1) > ($0.0 ?? -1) ? $1 : $0 }
  }

  private func stalls(_ measure: String) -> (value: Double?, stall: Int64?)? {
    guard report.loops.contains(where: \.wasObserved) else { return nil }
    let counts = report.stalls.counts.without(allowed.counts)
    let kind = StallKind(rawValue: measure) ?? .stall
    let meant = longest.longest { $0.kind == kind && ($0.isFatal || measure != "fatal") }
    let value: Double? =
      switch measure {
      case "count": Double(counts.count)
      case "microhang": Double(counts.count(atLeast: .microhang))
      case "hang": Double(counts.count(atLeast: .hang))
      case "severe": Double(counts.count(atLeast: .severe))
      case "fatal": Double(counts.fatalCount)
      case "congestion": Double(counts.congestionCount)
      case "away": Double(counts.awayCount)
      case "total": Double(counts.total)
      case "worst": Double(meant?.duration ?? 0)
      case "hang_rate": report.loops.compactMap(hangRate).max()
      case "jank": report.loops.compactMap(\.jank).max()
      default: nil
      }
    return (value, meant?.id)
  }

  private func hangRate(_ loop: LoopReport) -> Double? {
    let all = loop.stalls.hangTime(isMain: loop.isMain)
    guard let rate = loop.hangRate, let others = allowed.byLoop[loop.id], all > 0 else { return loop.hangRate }
    return rate * Double(loop.stalls.without(others).hangTime(isMain: loop.isMain)) / Double(all)
  }

  private func loop(_ loop: LoopReport, _ measure: String) -> Double? {
    switch measure {
    case "stalls": return Double(loop.stalls.without(allowed.byLoop[loop.id]).count)
    case "hang_rate": return hangRate(loop)
    case "jank": return loop.jank
    case "utilization": return loop.utilization
    default:
      let (name, percentile) = split(measure)
      let summary = name == "span" ? loop.span : name == "gap" ? loop.gap.all : phase(name).flatMap { loop.phases[$0] }
      return summary.flatMap { value(percentile, of: $0) }
    }
  }

  private func mode(_ mode: ModeReport, _ measure: String) -> Double? {
    switch measure {
    case "jank": return mode.jank
    case "utilization": return mode.utilization
    case "starved": return Double(mode.starved)
    default:
      let (name, percentile) = split(measure)
      let summary = name == "span" ? mode.span : phase(name).flatMap { mode.phases[$0] }
      return summary.flatMap { value(percentile, of: $0) }
    }
  }

  private func timer(_ timer: TimerReport, _ measure: String) -> Double? {
    switch measure {
    // A timer that was never due proves nothing.
    case "dropped": timer.timer.due > 0 ? Double(timer.timer.ledger.dropped) : nil
    case "dropped_share":
      timer.timer.due > 0 ? Double(timer.timer.ledger.dropped) / Double(timer.timer.due) : nil
    default: value(split(measure).percentile, of: timer.lateness)
    }
  }

  private func drift(_ drift: DriftReport, _ measure: String) -> Double? {
    let (name, percentile) = split(measure)
    switch name {
    case "run_loop": return value(percentile, of: drift.runLoop)
    case "gcd": return value(percentile, of: drift.gcd)
    case "dropped": return Double(drift.dropped)
    case "p50": return drift.drift.p50.map { Double($0) }
    case "p90": return drift.drift.p90.map { Double($0) }
    case "p99": return drift.drift.p99.map { Double($0) }
    case "p999": return drift.drift.p999.map { Double($0) }
    default: return drift.drift.maximum.map { Double($0) }
    }
  }

  private func health(_ measure: String) -> Double? {
    let health = report.health
    let watched = Double(report.sessions.map(\.duration).saturatingSum())
    let share = { (part: Nanoseconds?) in watched > 0 ? part.map { Double($0) / watched } : nil }
    return switch measure {
    case "losses": Double(health.lossCount)
    case "blind": health.blind.map { Double($0) }
    case "blind_share": share(health.blind)
    case "excluded": health.excluded.map { Double($0) }
    default: share(health.monitorCPU)
    }
  }

  private func split(_ measure: String) -> (name: String, percentile: String) {
    let parts = measure.split(separator: ".", maxSplits: 1).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : "")
  }

  private func phase(_ name: String) -> Phase? { Phase.allCases.first { $0.name == name } }

  private func value(_ percentile: String, of summary: DurationSummary) -> Double? {
    let value: Nanoseconds? =
      switch percentile {
      case "p50": summary.p50
      case "p90": summary.p90
      case "p99": summary.p99
      case "p999": summary.p999
      default: summary.maximum
      }
    return value.map { Double($0) }
  }
}
