import StallwatchCore
import StallwatchStore

/// Folds the ticks of the drift probe, of one loop or of several.
struct DriftFolding {
  /// How many slices a plot has.
  static let slices = 72
  /// Late ticks that are held at most, 3.2 MB, until their stalls are known. With more, every second of them, then every
  /// fourth and so on stands for all.
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
  /// One in so many late ticks is held.
  private var stride = 1
  /// When the control last served a tick.
  private var controlServedNs: Nanoseconds = 0
  /// Sums of lateness in nanoseconds, which no store's figures can make overflow: all of it, and what explains it.
  private var (lateTime, machineTime, stallTime, modeTime) = (0.0, 0.0, 0.0, 0.0)
  /// The control's own lateness, of all ticks for which it was late.
  private var controlTime = 0.0

  /// A tick that was served late, and the part of that for which the machine is not to blame.
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
    // A tick that the control dropped had come due while it was late for an earlier one.
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

  /// Whether there is anything to report.
  var hasTicks: Bool { ticks > 0 }

  /// Whether stalls are to be looked up.
  var hasLateTicks: Bool { !late.isEmpty }

  /// Takes in when that loop was in stalls.
  mutating func explain(by stalls: CoveredTime) {
    var (rest, inStalls, inModes) = (0.0, 0.0, 0.0)
    for tick in late {
      let byStalls = min(stalls.covered(from: tick.due, until: tick.served), tick.rest)
      rest += Double(tick.rest)
      inStalls += Double(byStalls)
      inModes += Double(min(tick.inOtherModes, tick.rest - byStalls))
    }
    // Those that are held stand for all.
    let scale = rest > 0 ? (lateTime - machineTime) / rest : 0
    stallTime += inStalls * scale
    modeTime += inModes * scale
    late = []
  }

  /// Takes in what was folded of another loop.
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

  /// Nil without a tick.
  var report: DriftReport? {
    guard ticks > 0 else { return nil }
    var report = DriftReport(
      interval: interval, ticks: ticks, dropped: dropped, runLoop: runLoop.durations, gcd: gcd.durations,
      drift: drift.summary, slope: fit.slope.map { $0 * 1e6 }, series: series)
    if lateTime > 0 {
      let share = { (time: Double) in min(time / lateTime, 1) }
      // A machine that is short of processors delays one thread at this tick and the other at the next: of what nothing
      // else explains, as much is the machine's as the control was late in all.
      let machine = max(machineTime, min(controlTime, lateTime - stallTime - modeTime))
      report.explained = DriftReport.Explanation(
        machine: share(machine), stalls: share(stallTime), otherModes: share(modeTime))
    }
    return report
  }
}

/// A straight line through points, by least squares.
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
