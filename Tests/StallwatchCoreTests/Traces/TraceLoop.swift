import StallwatchCore

/// A loop that does what a test says, at the moments that the test says. It owns the memory that a fold works in.
///
/// Each activity is a method of CF's name. Its first argument is the time since the activity before; it returns what
/// the fold returns: whether a parked watchdog has to be woken.
final class TraceLoop {
  let region: LoopRegion
  private(set) var fold: LoopFold
  /// The moment of the last activity.
  var now: Nanoseconds = 1.s
  /// What the fold has set aside, taken from the queue after each activity.
  private(set) var spells: [LongSpell] = []
  /// Whether spells are taken from the queue.
  var drains = true
  private let modes: [ModeCounters]
  private let retired: [RetiredCounters]
  private let memory: [UnsafeMutableRawPointer]

  init(
    threshold: Nanoseconds = 50.ms, watchedFrom startedNs: Nanoseconds = 0, grid: DueGrid? = nil,
    ticksFrom: Nanoseconds = 0
  ) {
    let sizes =
      [LoopRegion.byteCount, LoopFold.stackByteCount]
      + TraceMode.allCases.map { _ in ModeCounters.byteCount }
      + TraceMode.allCases.map { _ in RetiredCounters.byteCount }
    memory = sizes.map { size in
      let piece = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
      piece.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      return piece
    }
    region = LoopRegion(memory: memory[0])
    fold = LoopFold(
      region: region, threshold: threshold, startedNs: startedNs, grid: grid, stackMemory: memory[1])
    if let grid { region.beginTicks(of: grid, after: ticksFrom) }
    modes = zip(TraceMode.allCases, memory[2...]).map { ModeCounters(index: $0.rawValue, memory: $1) }
    retired = memory.suffix(TraceMode.allCases.count).map { RetiredCounters(memory: $0) }
  }

  deinit { for piece in memory { piece.deallocate() } }

  // MARK: What the loop does

  @discardableResult
  func entry(_ after: Nanoseconds = 0, in mode: TraceMode = .default) -> Bool { observe(.entry, after, in: mode) }
  @discardableResult
  func beforeTimers(_ after: Nanoseconds = 0, in mode: TraceMode = .default) -> Bool {
    observe(.beforeTimers, after, in: mode)
  }
  @discardableResult
  func beforeSources(_ after: Nanoseconds = 0, in mode: TraceMode = .default) -> Bool {
    observe(.beforeSources, after, in: mode)
  }
  @discardableResult
  func beforeWaiting(_ after: Nanoseconds = 0, in mode: TraceMode = .default) -> Bool {
    observe(.beforeWaiting, after, in: mode)
  }
  @discardableResult
  func afterWaiting(_ after: Nanoseconds = 0, in mode: TraceMode = .default) -> Bool {
    observe(.afterWaiting, after, in: mode)
  }
  @discardableResult
  func exit(_ after: Nanoseconds = 0, in mode: TraceMode = .default) -> Bool { observe(.exit, after, in: mode) }

  @discardableResult
  func observe(_ activity: Activity, _ after: Nanoseconds = 0, in mode: TraceMode) -> Bool {
    now += after
    _ = region.countActivity()
    let wakes = fold.observe(activity, in: modes[mode.rawValue], at: now)
    while drains, let spell = region.spells.pop() { spells.append(spell) }
    return wakes
  }

  /// Iterations of 1 µs without a wait, as fast as the fold takes them, and an end of it.
  func weather(_ iterations: UInt64) {
    let counters = modes[0]
    _ = fold.observe(.entry, in: counters, at: now)
    for _ in 0..<iterations {
      _ = fold.observe(.beforeTimers, in: counters, at: now)
      _ = fold.observe(.beforeSources, in: counters, at: now + 300)
      now += 1_000
    }
    _ = fold.observe(.beforeWaiting, in: counters, at: now)
  }

  /// A wake-up, a service phase of that duration, and a new iteration, with counters of the test's own.
  func serve(_ duration: Nanoseconds, in counters: ModeCounters) {
    for (activity, after) in [(Activity.beforeWaiting, 0), (.afterWaiting, 0), (.beforeTimers, duration)] {
      now += after
      region.countActivity()
      _ = fold.observe(activity, in: counters, at: now)
    }
  }

  // MARK: What came of it

  func counters(_ mode: TraceMode = .default) -> ModeCounters { modes[mode.rawValue] }
  func retired(_ mode: TraceMode = .default) -> RetiredCounters { retired[mode.rawValue] }

  /// How many samples of a metric there are, in the counters and set aside.
  func count(_ metric: Metric, in mode: TraceMode = .default) -> UInt64 {
    counters(mode)[metric].count + UInt64(setAside(metric, in: mode).count)
  }

  /// Their sum.
  func total(_ metric: Metric, in mode: TraceMode = .default) -> Nanoseconds {
    setAside(metric, in: mode).reduce(counters(mode)[metric].total) { $0 + $1.own }
  }

  /// The sum of a metric over all modes.
  func totalInAllModes(_ metric: Metric) -> Nanoseconds {
    TraceMode.allCases.reduce(0) { $0 + total(metric, in: $1) }
  }

  func spells(_ kind: LongSpell.Kind) -> [LongSpell] { spells.filter { $0.kind == kind } }

  var blind: Nanoseconds { spells(.blind).reduce(0) { $0 + $1.own } }

  /// Time in the phases of all modes.
  var charged: Nanoseconds { busy + totalInAllModes(.waiting) }

  /// Time in all phases but `waiting`.
  var busy: Nanoseconds {
    totalInAllModes(.prepare) + totalInAllModes(.sources) + totalInAllModes(.service)
  }

  private func setAside(_ metric: Metric, in mode: TraceMode) -> [LongSpell] {
    spells.filter { spell in
      guard Int(spell.mode) == mode.rawValue else { return false }
      switch spell.kind {
      case .phase: return Metric(spell.phase) == metric
      case .gap: return metric == .gap
      case .span: return metric == .span
      case .busyRun, .blind, .outside: return false
      }
    }
  }
}
