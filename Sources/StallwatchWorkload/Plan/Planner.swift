/// Draws random steps that a run loop can carry out.
struct Planner {
  /// The loop for a step.
  struct LoopChoice {
    /// Its index in the plan; 0 is the main loop.
    var index: Int
    /// The mode of its last step; nil before the first.
    var lastMode: String?
    var isMain: Bool { index == 0 }
  }

  /// The source of all random choices.
  var generator: SeededGenerator
  private let options: Options
  private var nextNumber = 1
  private let punctual: [How]

  init(options: Options) {
    self.options = options
    generator = SeededGenerator(seed: options.seed)
    let asked = How.punctual.filter(options.hows.contains)
    punctual = asked.isEmpty ? How.punctual : asked
  }

  /// A step with a hold. `progress` is the part of the plan already made, 0…1.
  mutating func hold(isNearMiss: Bool, loop: LoopChoice, progress: Double) -> (loop: Int, step: Step) {
    let mode = chooseMode(after: loop.lastMode, progress: progress)
    let nested = generator.chance(options.nested) ? nestedRuns(in: mode, loop: loop, progress: progress) : []
    let innermost = nested.last?.mode ?? mode
    let allowed = Callout.allCases.filter { $0 != .mainQueue || servesMainQueue(innermost, loop, inside: nested) }
    let how = generator.pick(isNearMiss ? punctual : options.hows)
    let callout = generator.pick(allowed)
    let activities = nested.isEmpty ? ObservedActivity.allCases : ObservedActivity.recurring
    let planned =
      isNearMiss
      ? generator.duration(in: options.threshold * 70 / 100...options.threshold * 92 / 100)
      : generator.logarithmicDuration(in: options.minStall...options.maxStall)
    // `slow` must not turn a near-miss into a stall.
    let length = isNearMiss ? planned : Nanoseconds(Double(planned) * (options.slow[how] ?? 1))
    let hold = Hold(
      how: how, lock: how == .lock ? generator.pick(LockKind.allCases) : nil, callout: callout,
      activity: callout == .observer ? generator.pick(activities) : nil,
      order: callout == .observer ? Int(generator.next() % 2_001) - 1_000 : nil, length: length)
    return (loop.index, step(mode: mode, nested: nested, hold: hold))
  }

  /// A step that only runs the loop again, for longer than the threshold.
  mutating func healthyNestedRun(loop: LoopChoice, progress: Double) -> (loop: Int, step: Step) {
    let mode = chooseMode(after: loop.lastMode, progress: progress)
    return (loop.index, step(mode: mode, nested: nestedRuns(in: mode, loop: loop, progress: progress), hold: nil))
  }

  private mutating func step(mode: String, nested: [NestedRun], hold: Hold?) -> Step {
    defer { nextNumber += 1 }
    let innermost = nested.last?.mode ?? mode
    return Step(
      number: nextNumber, mode: mode,
      inCommonModes: ModeName.common.contains(innermost) && generator.chance(0.4), nested: nested, hold: hold)
  }

  /// Picks a mode. Loops stay in a mode for a few steps, as in real programs; private modes come into use one by one.
  private mutating func chooseMode(after last: String?, progress: Double) -> String {
    if let last, generator.chance(0.6) { return last }
    let made = (1...max(1, options.modes)).filter {
      $0 <= options.modes && progress >= 0.6 * Double($0) / Double(options.modes)
    }
    return generator.pick([ModeName.standard, ModeName.standard, ModeName.tracking] + made.map(ModeName.privateMode))
  }

  /// One nested run; with a probability of a quarter two, one inside the other.
  private mutating func nestedRuns(in mode: String, loop: LoopChoice, progress: Double) -> [NestedRun] {
    var runs: [NestedRun] = []
    var outer = mode
    for _ in 0..<(generator.chance(0.25) ? 2 : 1) {
      let allowed: [Callout] =
        [.timer, .source0, .block] + (servesMainQueue(outer, loop, inside: runs) ? [.mainQueue] : [])
      let callout = generator.pick(allowed)
      let inner = chooseMode(after: outer, progress: progress)
      runs.append(
        NestedRun(
          callout: callout, mode: inner, turn: generator.duration(in: 2_000_000...6_000_000),
          before: generator.duration(in: 40_000_000...100_000_000),
          after: generator.duration(in: 30_000_000...80_000_000)))
      outer = inner
    }
    return runs
  }

  /// Whether the main queue is served: the main loop serves it in its common modes, but not inside one of its blocks.
  private func servesMainQueue(_ mode: String, _ loop: LoopChoice, inside runs: [NestedRun]) -> Bool {
    loop.isMain && ModeName.common.contains(mode) && !runs.contains { $0.callout == .mainQueue }
  }
}
