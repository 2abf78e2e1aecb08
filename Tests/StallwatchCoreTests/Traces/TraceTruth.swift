import StallwatchCore

/// What a loop that does the steps of a trace must be found to have done, worked out the slow way: each interval
/// between two steps is charged by looking at the whole stack of runs.
struct TraceTruth {
  struct Sample: Hashable {
    var metric: Metric
    var mode: TraceMode
  }

  private(set) var totals: [Sample: Nanoseconds] = [:]
  private(set) var counts: [Sample: UInt64] = [:]
  private(set) var starved: [TraceMode: Nanoseconds] = [:]
  private(set) var entries: [TraceMode: UInt64] = [:]
  private(set) var iterations: [TraceMode: UInt64] = [:]
  private(set) var outside: Nanoseconds = 0
  private(set) var stack: [(mode: TraceMode, phase: Phase)] = []

  /// Whether the loop is in a span.
  var isHeld: Bool { stack.last.map { $0.phase != .waiting } ?? false }

  mutating func charge(_ duration: Nanoseconds) {
    guard let top = stack.last else {
      outside += duration
      return
    }
    totals[Sample(metric: Metric(top.phase), mode: top.mode), default: 0] += duration
    if top.phase != .waiting { totals[Sample(metric: .span, mode: top.mode), default: 0] += duration }
    for mode in Set(stack.map(\.mode)) where mode != top.mode { starved[mode, default: 0] += duration }
  }

  mutating func take(_ activity: Activity, in mode: TraceMode) {
    // Every heartbeat ends the span under way.
    if isHeld, activity != .beforeSources { count(.span, in: stack.last!.mode) }
    switch activity {
    case .entry:
      entries[mode, default: 0] += 1
      stack.append((mode, .prepare))
    case .beforeTimers:
      iterations[mode, default: 0] += 1
      if stack.last?.phase != .prepare { pass(to: .prepare) }
    case .beforeSources: pass(to: .sources)
    case .beforeWaiting: pass(to: .waiting)
    case .afterWaiting: pass(to: .service)
    default:
      pass(to: .prepare)
      stack.removeLast()
    }
  }

  private mutating func pass(to phase: Phase) {
    let top = stack.removeLast()
    count(Metric(top.phase), in: top.mode)
    stack.append((top.mode, phase))
  }

  private mutating func count(_ metric: Metric, in mode: TraceMode) {
    counts[Sample(metric: metric, mode: mode), default: 0] += 1
  }
}
