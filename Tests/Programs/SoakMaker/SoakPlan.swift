import SeededNumbers

/// Which loop is held when, for how long and by what; and which loops get timers. The same for the same seed.
struct SoakPlan {
  /// One hold of a loop, longer than the threshold.
  struct Hold {
    var number: Int
    var loop: Int
    /// Nanoseconds from the start.
    var at: UInt64
    /// Nanoseconds, 60 to 200 ms.
    var length: UInt64
    var computes: Bool
  }

  let loops: Int
  /// Nanoseconds from one to the next, on average.
  private let (holdEvery, timerEvery): (UInt64, UInt64)
  private var numbers: RandomNumbers
  private var recent: [Int] = []
  private(set) var holdsPlanned = 0
  private(set) var timersPlanned = 0

  init(loops: Int, holdsAMinute: Int, timersAMinute: Int, seed: UInt64) {
    self.loops = loops
    holdEvery = 60_000_000_000 / UInt64(holdsAMinute)
    timerEvery = 60_000_000_000 / UInt64(timersAMinute)
    numbers = RandomNumbers(seed: seed)
  }

  /// The next hold. Each loop rests for some time after one, so that two never lie in one span.
  mutating func nextHold() -> Hold {
    var loop = numbers.below(loops)
    while recent.contains(loop) { loop = numbers.below(loops) }
    recent = recent.suffix(Self.restingHolds - 1) + [loop]
    let jitter = UInt64(numbers.below(Int(holdEvery)))
    let hold = Hold(
      number: holdsPlanned + 1, loop: loop, at: UInt64(holdsPlanned) * holdEvery + jitter,
      length: 60_000_000 + UInt64(numbers.below(140_000_000)), computes: numbers.chance(50))
    holdsPlanned += 1
    return hold
  }

  /// When the next timer is made, in nanoseconds from the start, and of which loop.
  mutating func nextTimer() -> (at: UInt64, loop: Int) {
    defer { timersPlanned += 1 }
    return (UInt64(timersPlanned) * timerEvery, numbers.below(loops))
  }

  /// Holds that must come before a loop is held again.
  private static let restingHolds = 4
}
