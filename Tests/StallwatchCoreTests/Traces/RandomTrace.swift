import SeededNumbers
import StallwatchCore

/// What a loop does, made up at random but as CFRunLoop does it: runs in any mode, nested anywhere, waits skipped,
/// stopped at once.
struct RandomTrace {
  struct Step {
    var activity: Activity
    var mode: TraceMode
    /// Time since the step before.
    var after: Nanoseconds
  }

  private(set) var steps: [Step] = []
  private var numbers: RandomNumbers

  init(seed: UInt64) {
    numbers = RandomNumbers(seed: seed)
    for _ in 0...Int.random(in: 0...5, using: &numbers) { run(depth: 1) }
  }

  /// The trace as observers see it that are attached to each mode at some step only, the default mode's excepted.
  func attachedLate(seed: UInt64) -> [Step] {
    var numbers = RandomNumbers(seed: seed)
    var firstSteps = [0]
    for _ in 1..<TraceMode.allCases.count { firstSteps.append(Int.random(in: 0...steps.count, using: &numbers)) }
    return filtered { $0 >= firstSteps[$1.mode.rawValue] }
  }

  /// The trace with some activities missing, of any kind.
  func damaged(seed: UInt64, percent: Int) -> [Step] {
    var numbers = RandomNumbers(seed: seed)
    return filtered { _, _ in !numbers.chance(percent) }
  }

  private func filtered(_ isSeen: (Int, Step) -> Bool) -> [Step] {
    var seen: [Step] = []
    var unseen: Nanoseconds = 0
    for (index, step) in steps.enumerated() {
      unseen += step.after
      guard isSeen(index, step) else { continue }
      seen.append(Step(activity: step.activity, mode: step.mode, after: unseen))
      unseen = 0
    }
    return seen
  }

  private mutating func run(depth: Int) {
    let mode = TraceMode.allCases.randomElement(using: &numbers)!
    add(.entry, mode, depth)
    for _ in 0..<Int.random(in: 0...4, using: &numbers) {
      add(.beforeTimers, mode, depth)
      add(.beforeSources, mode, depth)
      if numbers.chance(60) {
        add(.beforeWaiting, mode, depth)
        add(.afterWaiting, mode, depth)
      }
    }
    add(.exit, mode, depth - 1)
  }

  /// Adds an activity, and at times a run that is nested in what follows.
  private mutating func add(_ activity: Activity, _ mode: TraceMode, _ depth: Int) {
    steps.append(Step(activity: activity, mode: mode, after: duration()))
    while depth > 0, depth < 6, numbers.chance(activity == .beforeWaiting ? 2 : 12) { run(depth: depth + 1) }
  }

  private mutating func duration() -> Nanoseconds {
    switch Int.random(in: 0..<10, using: &numbers) {
    case 0: 0
    case 1: 50.ms
    case 2: 50.ms - 1
    case 3: Nanoseconds.random(in: 50.ms...3.s, using: &numbers)
    case 4...5: Nanoseconds.random(in: 1.ms...50.ms, using: &numbers)
    default: Nanoseconds.random(in: 1...1.ms, using: &numbers)
    }
  }
}
