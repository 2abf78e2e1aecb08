import StallwatchCore

/// How far apart flushes are: as close as the configuration asks, or as far as keeps what they cost within bounds. A
/// server with many lanes under load has much to hand on, and no processor to spare for it.
struct FlushPace {
  /// The most that flushes may cost, of one processor: 2 %, and a twentieth of that while the process needs the
  /// processors itself. Each flush is charged for what the watchdog and the recorder's thread do for it, without the
  /// transactions that follow some: those come as often, however seldom flushes do.
  private static let costliest = 1.0 / 50
  private static let costliestWhileBusy = costliest / 20
  /// The process needs the processors while it keeps this much of one busy, and no more than that is idle on the whole
  /// machine: what flushes take is then taken from it. On a machine that does not say how idle it is, while it keeps
  /// this share of all of them busy.
  private static let busyProcessors = 0.5
  /// The longest interval that cost may lead to: 100 ms, so that a report of a running program stays fresh.
  static let longest = 100 * Nanoseconds.millisecond
  /// The cheapest of so many periods counts, so that closings, which come now and then, do not.
  private static let periods = 4
  /// The process needs the processors until so many periods in a row have shown that it does not. A server's load comes
  /// in waves, and each would begin with flushes as close as asked for, when they disturb it most.
  private static let calmPeriods = 3

  private let configured: Nanoseconds
  private let processors: Int
  /// Whether a stall goes on. Its flushes come as asked for, whatever they cost: a death would take as much of its length.
  var isHeld = false
  /// The time from one flush to the next.
  var interval: Nanoseconds { isHeld ? configured : paced }
  /// Whether flushes come less often than asked for.
  var isSlowed: Bool { interval > configured }
  /// The same while no stall goes on.
  private var paced: Nanoseconds
  // Since the last period ended.
  private var flushes: Nanoseconds = 0
  private var ownCPU: Nanoseconds = 0
  private var recorderCPU: Nanoseconds
  private var processCPU: Nanoseconds = 0
  private var idle: Nanoseconds?
  private var beganNs: Nanoseconds = 0
  /// Whether the watchdog was parked in the period, which then shows nothing.
  private var hasRested = false
  /// What one flush cost in each of the last periods.
  private var costs: [Nanoseconds] = []
  /// How many periods in a row the process has not needed the processors.
  private var calm = calmPeriods

  /// `interval`: the configured one; `processors`: how many the machine has.
  init(_ interval: Nanoseconds, processors: Int) {
    (configured, paced, self.processors, recorderCPU) = (interval, interval, max(processors, 1), 0)
  }

  /// Notes that a flush took the watchdog so much CPU time.
  mutating func noteFlush(cpu: Nanoseconds) {
    flushes += 1
    ownCPU += cpu
  }

  /// Notes that the watchdog is parked, because no loop turns.
  mutating func noteRest() { hasRested = true }

  /// Ends a period; `recorder` and `process` are the CPU times of the recorder's flushes and of the process so far,
  /// `idle` the time that the machine's processors were idle.
  mutating func endPeriod(
    at now: Nanoseconds, recorderCPU recorder: Nanoseconds, processCPU process: Nanoseconds, idle idleNow: Nanoseconds?
  ) {
    guard flushes > 0 else { return }
    costs.append((ownCPU + recorder.since(recorderCPU)) / flushes)
    if costs.count > Self.periods { costs.removeFirst() }
    if !hasRested {
      let isBusy = isBusy(process.since(processCPU), idle: idle.flatMap { idleNow?.since($0) }, in: now.since(beganNs))
      calm = isBusy ? 0 : min(calm + 1, Self.calmPeriods)
    }
    (flushes, ownCPU, recorderCPU, processCPU, idle, beganNs) = (0, 0, recorder, process, idleNow, now)
    hasRested = false
    let cost = costs.count < Self.periods ? 0 : costs.min() ?? 0
    let share = calm < Self.calmPeriods ? Self.costliestWhileBusy : Self.costliest
    paced = max(configured, min(Nanoseconds(Double(cost) / share), Self.longest))
  }

  /// Whether a period shows that the process needs the processors.
  private func isBusy(_ process: Nanoseconds, idle: Nanoseconds?, in period: Nanoseconds) -> Bool {
    let length = Double(max(period, 1))
    let busy = Double(process) / length
    guard let idle else { return busy >= Self.busyProcessors * Double(processors) }
    return busy >= Self.busyProcessors && Double(idle) / length <= Self.busyProcessors
  }
}
