import StallwatchCore
import StallwatchStore

/// Folds the drift probe's ticks of one loop, and merges several loops.
struct DriftFolding {
  /// The number of slices in a plot.
  static let slices = 72
  /// The most late ticks held, 3.2 MB, until their stalls are known. Beyond it every second tick stands for all, then
  /// every fourth, and so on.
  private static let mostLate = 100_000

  private var runLoop = SignedHistogram()
  private var gcd = SignedHistogram()
  private var drift = SignedHistogram()
  private var ticks: UInt64 = 0
  private var dropped: UInt64 = 0
  private var interval: Nanoseconds?
  private var series = [DriftReport.Slice](repeating: .init(), count: DriftFolding.slices)
  private var fit = LineFit()
  private var late: [Late] = []
  private var lateCount = 0
  /// One in this many late ticks is held.
  private var stride = 1
  /// When the control last served a tick.
  private var controlServedNs: Nanoseconds = 0
  /// Lateness in ns: all of it, then what machine, stalls and other modes explain. Doubles do not overflow.
  private var (lateTime, machineTime, stallTime, modeTime) = (0.0, 0.0, 0.0, 0.0)
  /// The control's total lateness over the ticks for which it was late, in nanoseconds.
  private var controlTime = 0.0

  /// A late tick, with `rest`, the part of its lateness that the machine does not explain.
  private struct Late {
    var due: Nanoseconds
    var served: Nanoseconds
    var rest: Nanoseconds
    var inOtherModes: Nanoseconds
  }

  private var previous: (number: UInt64, dueNs: Nanoseconds)?

  /// Takes in a tick of a loop that was watched from `start` on for `duration`.
  mutating func add(_ tick: DriftTick, start: Nanoseconds, duration: Nanoseconds) {
    if let previous, tick.number > previous.number, tick.dueNs > previous.dueNs {
      interval = (tick.dueNs - previous.dueNs) / (tick.number - previous.number)
    }
    previous = (tick.number, tick.dueNs)
    ticks += 1
    let share = min(Double(tick.dueNs.since(start)) / Double(max(duration, 1)), 1)
    let place = min(Int(share * Double(Self.slices)), Self.slices - 1)
    if let lateness = tick.gcdLateness {
      gcd.add(Int64(clamping: lateness))
      series[place].gcd = max(series[place].gcd ?? 0, lateness)
      controlServedNs = tick.dueNs.saturatingAdd(lateness)
      if lateness > DriftReport.leastLateness { controlTime += Double(lateness) }
    }
    guard let lateness = tick.runLoopLateness else { return dropped += 1 }
    runLoop.add(Int64(clamping: lateness))
    series[place].runLoop = max(series[place].runLoop ?? 0, lateness)
    fit.add(Double(tick.dueNs.since(start)), Double(lateness))
    if let control = tick.gcdLateness { drift.add(Int64(clamping: lateness) - Int64(clamping: control)) }
    guard lateness > DriftReport.leastLateness else { return }
    // A tick that the control dropped came due while the control was late for an earlier one.
    let machine = min(tick.gcdLateness ?? controlServedNs.since(tick.dueNs), lateness)
    lateTime += Double(lateness)
    machineTime += Double(machine)
    hold(
      Late(
        due: tick.dueNs, served: tick.dueNs.saturatingAdd(lateness), rest: lateness - machine,
        inOtherModes: tick.inOtherModes))
  }

  private mutating func hold(_ tick: Late) {
    lateCount += 1
    guard lateCount % stride == 0 else { return }
    late.append(tick)
    guard late.count == Self.mostLate else { return }
    late = late.indices.filter { $0 % 2 == 1 }.map { late[$0] }
    stride *= 2
  }

  /// Whether any tick was taken in.
  var hasTicks: Bool { ticks > 0 }

  /// Whether late ticks wait for ``explain(by:)``.
  var hasLateTicks: Bool { !late.isEmpty }

  /// Explains the held late ticks by the loop's stalls and lets the ticks go.
  mutating func explain(by stalls: CoveredTime) {
    var (rest, inStalls, inModes) = (0.0, 0.0, 0.0)
    for tick in late {
      let byStalls = min(stalls.covered(from: tick.due, until: tick.served), tick.rest)
      rest += Double(tick.rest)
      inStalls += Double(byStalls)
      inModes += Double(min(tick.inOtherModes, tick.rest - byStalls))
    }
    // The held ticks stand for all late ticks.
    let scale = rest > 0 ? (lateTime - machineTime) / rest : 0
    stallTime += inStalls * scale
    modeTime += inModes * scale
    late = []
  }

  /// Merges the figures of another loop, except its plot.
  mutating func merge(_ other: DriftFolding) {
    runLoop.merge(other.runLoop)
    gcd.merge(other.gcd)
    drift.merge(other.drift)
    ticks += other.ticks
    dropped += other.dropped
    interval = interval ?? other.interval
    lateTime += other.lateTime
    machineTime += other.machineTime
    controlTime += other.controlTime
    stallTime += other.stallTime
    modeTime += other.modeTime
    fit.merge(other.fit)
  }

  /// The folded figures; nil without a tick.
  var report: DriftReport? {
    guard ticks > 0 else { return nil }
    var report = DriftReport(
      interval: interval, ticks: ticks, dropped: dropped, runLoop: runLoop.durations, gcd: gcd.durations,
      drift: drift.summary, slope: fit.slope.map { $0 * 1e6 }, series: series)
    if lateTime > 0 {
      let share = { (time: Double) in min(time / lateTime, 1) }
      // A machine short of processors delays one thread at this tick and the other at the next. So of what nothing else
      // explains, the machine's part is as large as the control's total lateness.
      let machine = max(machineTime, min(controlTime, lateTime - stallTime - modeTime))
      report.explained = DriftReport.Explanation(
        machine: share(machine), stalls: share(stallTime), otherModes: share(modeTime))
    }
    return report
  }
}

/// Fits a straight line to points by least squares.
private struct LineFit {
  private var count = 0.0
  private var (sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0)

  mutating func add(_ x: Double, _ y: Double) {
    count += 1
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
  }

  mutating func merge(_ other: LineFit) {
    count += other.count
    sumX += other.sumX
    sumY += other.sumY
    sumXX += other.sumXX
    sumXY += other.sumXY
  }

  var slope: Double? {
    let spread = count * sumXX - sumX * sumX
    return count > 1 && spread > 0 ? (count * sumXY - sumX * sumY) / spread : nil
  }
}
