import StallwatchCore
import StallwatchStore

/// Folds the ticks of the drift probe, of one loop or of several.
struct DriftFolding {
  /// How many slices a plot has.
  static let slices = 72
  /// Late ticks whose stalls are looked up; with more, a share of them stands for all.
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
  private(set) var stallTime: Nanoseconds = 0
  private var lateTime: Nanoseconds = 0
  private var machineTime: Nanoseconds = 0
  private var modeTime: Nanoseconds = 0

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
    let place = min(
      Int(Double(tick.dueNs.since(start)) / Double(max(duration, 1)) * Double(Self.slices)), Self.slices - 1)
    if let lateness = tick.gcdLateness {
      gcd.add(Int64(clamping: lateness))
      series[place].gcd = max(series[place].gcd ?? 0, lateness)
    }
    guard let lateness = tick.runLoopLateness else { return dropped += 1 }
    runLoop.add(Int64(clamping: lateness))
    series[place].runLoop = max(series[place].runLoop ?? 0, lateness)
    fit.add(Double(tick.dueNs.since(start)), Double(lateness))
    if let control = tick.gcdLateness { drift.add(Int64(clamping: lateness) - Int64(clamping: control)) }
    guard lateness > DriftReport.leastLateness else { return }
    let machine = min(tick.gcdLateness ?? 0, lateness)
    lateTime = lateTime.saturatingAdd(lateness)
    machineTime = machineTime.saturatingAdd(machine)
    let found = Late(
      due: tick.dueNs, served: tick.dueNs.saturatingAdd(lateness), rest: lateness - machine,
      inOtherModes: tick.inOtherModes)
    if late.count < Self.mostLate { late.append(found) }
  }

  /// Whether stalls are to be looked up.
  var hasLateTicks: Bool { !late.isEmpty }

  /// Takes in the stalls of that loop as (start, end), in the order of their start.
  mutating func explain(by stalls: [(start: Nanoseconds, end: Nanoseconds)]) {
    var first = 0
    for tick in late {
      while first < stalls.count, stalls[first].end <= tick.due { first += 1 }
      var overlap: Nanoseconds = 0
      var place = first
      while place < stalls.count, stalls[place].start < tick.served {
        overlap += min(stalls[place].end, tick.served).since(max(stalls[place].start, tick.due))
        place += 1
      }
      let byStalls = min(overlap, tick.rest)
      stallTime = stallTime.saturatingAdd(byStalls)
      modeTime = modeTime.saturatingAdd(min(tick.inOtherModes, tick.rest - byStalls))
    }
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
    stallTime = stallTime.saturatingAdd(other.stallTime)
    lateTime = lateTime.saturatingAdd(other.lateTime)
    machineTime = machineTime.saturatingAdd(other.machineTime)
    modeTime = modeTime.saturatingAdd(other.modeTime)
    fit.merge(other.fit)
  }

  /// Nil without a tick.
  var report: DriftReport? {
    guard ticks > 0 else { return nil }
    var report = DriftReport(
      interval: interval, ticks: ticks, dropped: dropped, runLoop: runLoop.durations, gcd: gcd.durations,
      drift: drift.summary, slope: fit.slope.map { $0 * 1e6 }, series: series)
    if lateTime > 0 {
      let share = { (time: Nanoseconds) in Double(time) / Double(lateTime) }
      report.explained = DriftReport.Explanation(
        machine: share(machineTime), stalls: share(stallTime), otherModes: share(modeTime))
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
