import StallwatchCore
import StallwatchStore

/// Folds the drift probe's ticks of one loop, from windows and from ticks that have rows of their own, and merges several
/// loops.
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
  /// Of the lateness that the machine does not explain, that of ticks that windows left out, in nanoseconds.
  private var leftOutTime = 0.0
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

  /// Takes in a tick of a loop that was watched from `start` on for `duration`: one that no window counts, or one that a
  /// window has counted and that explains the window's lateness.
  mutating func add(_ stored: StoredTick, start: Nanoseconds, duration: Nanoseconds) {
    if let machine = stored.machine {
      mark(stored.tick.runLoopLateness, stored.tick.gcdLateness, at: place(of: stored.tick.dueNs, start, duration))
      hold(stored.tick, machine: machine)
    } else {
      add(stored.tick, start: start, duration: duration)
    }
  }

  private mutating func add(_ tick: DriftTick, start: Nanoseconds, duration: Nanoseconds) {
    pass(number: tick.number, dueNs: tick.dueNs)
    ticks = ticks.saturatingAdd(1)
    mark(tick.runLoopLateness, tick.gcdLateness, at: place(of: tick.dueNs, start, duration))
    if let lateness = tick.gcdLateness {
      gcd.add(Int64(clamping: lateness))
      controlServedNs = tick.dueNs.saturatingAdd(lateness)
      if lateness > DriftTick.leastLateness { controlTime += Double(lateness) }
    }
    guard let lateness = tick.runLoopLateness else { return dropped = dropped.saturatingAdd(1) }
    runLoop.add(Int64(clamping: lateness))
    fit.add(Double(tick.dueNs.since(start)), Double(lateness))
    if let control = tick.gcdLateness { drift.add(Int64(clamping: lateness) - Int64(clamping: control)) }
    guard lateness > DriftTick.leastLateness else { return }
    let machine = tick.machinePart(controlServedNs: controlServedNs)
    lateTime += Double(lateness)
    machineTime += Double(machine)
    hold(tick, machine: machine)
  }

  /// Takes in a window of ticks of a loop that was watched from `start` on for `duration`.
  mutating func add(_ window: TickWindow, start: Nanoseconds, duration: Nanoseconds) {
    pass(number: window.first.number, dueNs: window.first.dueNs)
    pass(number: window.last.number, dueNs: window.last.dueNs)
    ticks = ticks.saturatingAdd(window.ticks)
    dropped = dropped.saturatingAdd(window.dropped)
    runLoop.merge(SignedHistogram(window.runLoop))
    gcd.merge(SignedHistogram(window.gcd))
    drift.merge(SignedHistogram(window.drift))
    fit.add(window, start: start)
    lateTime += Double(window.late.lateness)
    machineTime += Double(window.late.machine)
    controlTime += Double(window.gcdLate)
    leftOutTime += Double(window.leftOut.rest)
    let (first, last) = (window.first.dueNs, window.last.dueNs)
    for (cellStart, cell) in window.pieces {
      let from = place(of: max(cellStart, first), start, duration)
      let to = place(of: min(cellStart.saturatingAdd(window.cellLength - 1), last), start, duration)
      for place in from...max(from, to) { mark(cell.runLoop, cell.gcd, at: place) }
    }
  }

  /// Notes a tick's place on the grid, in the order of time.
  private mutating func pass(number: UInt64, dueNs: Nanoseconds) {
    if let previous, number > previous.number, dueNs > previous.dueNs {
      interval = (dueNs - previous.dueNs) / (number - previous.number)
    }
    previous = (number, dueNs)
  }

  /// The slice of the plot in which `moment` lies.
  private func place(of moment: Nanoseconds, _ start: Nanoseconds, _ duration: Nanoseconds) -> Int {
    let share = min(Double(moment.since(start)) / Double(max(duration, 1)), 1)
    return min(Int(share * Double(Self.slices)), Self.slices - 1)
  }

  private mutating func mark(_ runLoop: Nanoseconds?, _ gcd: Nanoseconds?, at place: Int) {
    if let runLoop { series[place].runLoop = max(series[place].runLoop ?? 0, runLoop) }
    if let gcd { series[place].gcd = max(series[place].gcd ?? 0, gcd) }
  }

  private mutating func hold(_ tick: DriftTick, machine: Nanoseconds) {
    let lateness = tick.runLoopLateness ?? 0
    hold(
      Late(
        due: tick.dueNs, served: tick.dueNs.saturatingAdd(lateness), rest: lateness.since(machine),
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

  /// Explains the held late ticks by the loop's stalls and lets the ticks go. Without any, nobody knows what explains the
  /// loop's lateness: it counts in no explanation.
  mutating func explain(by stalls: CoveredTime) {
    guard !late.isEmpty || lateTime <= machineTime else { return (lateTime, machineTime, controlTime) = (0, 0, 0) }
    // The held ticks stand for all late ticks, but for those that windows left out: these were less late than any that
    // their window kept, so the less late half of the held ones stands for them.
    explain(late, lateTime - machineTime - leftOutTime, by: stalls)
    if leftOutTime > 0 {
      late.sort { $0.rest < $1.rest }
      explain(Array(late.prefix((late.count + 1) / 2)), leftOutTime, by: stalls)
    }
    late = []
  }

  /// Explains `time` of lateness by what explains that of `ticks`.
  private mutating func explain(_ ticks: [Late], _ time: Double, by stalls: CoveredTime) {
    var (rest, inStalls, inModes) = (0.0, 0.0, 0.0)
    for tick in ticks {
      let byStalls = min(stalls.covered(from: tick.due, until: tick.served), tick.rest)
      rest += Double(tick.rest)
      inStalls += Double(byStalls)
      inModes += Double(min(tick.inOtherModes, tick.rest - byStalls))
    }
    let scale = rest > 0 ? max(time, 0) / rest : 0
    stallTime += inStalls * scale
    modeTime += inModes * scale
  }

  /// Merges the figures of another loop, except its plot.
  mutating func merge(_ other: DriftFolding) {
    runLoop.merge(other.runLoop)
    gcd.merge(other.gcd)
    drift.merge(other.drift)
    ticks = ticks.saturatingAdd(other.ticks)
    dropped = dropped.saturatingAdd(other.dropped)
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
