import Foundation

/// What the program holds besides run loops.
enum HeldLane: String, Codable, CaseIterable, Sendable {
  case mainQueue, mainActor
  /// An actor that runs its jobs on a serial queue, and a default one.
  case actor, cache
  /// Serial queues.
  case images, index, mail
  /// Serial queues that are held by `sync` and by a source's handler, while items wait.
  case synced, sourced
  /// Swift's pool, all of it.
  case pool
  case firstEventLoop, secondEventLoop

  /// Whether somebody waits for whatever holds it.
  var isAwaited: Bool {
    switch self {
    case .mainQueue, .mainActor, .firstEventLoop, .secondEventLoop: true
    case .actor, .cache, .images, .index, .mail, .synced, .sourced, .pool: false
    }
  }
}

/// One hold of a lane.
struct LaneStep: Codable, Sendable {
  /// Its number in the plan, counted from 1.
  var number: Int
  var lane: HeldLane
  /// ``How/spin`` or ``How/usleep``.
  var how: How
  /// The planned length.
  var length: Nanoseconds
  /// Whether an item is enqueued that has to wait for it; true for a lane that is awaited anyway.
  var hasWaiter: Bool
}

/// What the program does with its lanes. Depends only on the options.
struct LanePlan {
  private(set) var steps: [LaneStep] = []

  /// Makes a plan with a quarter as many near-misses as stalls, and as many holds for which nobody waits. Every lane comes
  /// up as often as another.
  init(options: Options) {
    var generator = SeededGenerator(seed: options.seed)
    let others = (options.stalls + 3) / 4
    var lanes: [HeldLane] = []
    for place in 0..<options.stalls + 2 * others {
      if lanes.isEmpty { lanes = HeldLane.allCases }
      let lane = lanes.remove(at: Int(generator.next() % UInt64(lanes.count)))
      let how = generator.pick([How.spin, .usleep])
      let isNearMiss = place % 6 == 2
      let isAlone = place % 6 == 5 && !lane.isAwaited
      let length =
        isNearMiss
        ? generator.duration(in: options.threshold * 70 / 100...options.threshold * 92 / 100)
        : generator.logarithmicDuration(in: options.minStall...options.maxStall)
      steps.append(LaneStep(number: place + 1, lane: lane, how: how, length: length, hasWaiter: !isAlone))
    }
  }

  /// Prints one line per step.
  func printLines() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for step in steps { print(String(decoding: try encoder.encode(step), as: UTF8.self)) }
  }
}
