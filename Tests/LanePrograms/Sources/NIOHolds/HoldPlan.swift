import Foundation

/// How an event loop comes to serve what holds it.
enum Way: String, CaseIterable {
  /// A handler in a channel's pipeline reads a request.
  case channelRead
  /// A task that was scheduled for a moment.
  case scheduledTask
  /// A closure given to the loop.
  case execute
  /// A future's callback.
  case flatMap
  /// An actor that has the loop as its executor.
  case actor
  /// Many short closures that the loop serves without a wait between them.
  case manyTasks
}

/// One hold of an event loop.
struct HoldStep {
  /// Its number in the plan, counted from 1.
  let number: Int
  /// Which of the loops.
  let loop: Int
  let way: Way
  /// Whether it computes or sleeps.
  let isComputing: Bool
  /// The planned length, in nanoseconds.
  let length: UInt64
  /// For how long the loop is left alone before it, in nanoseconds.
  let pause: UInt64
}

/// What the program does with its loops. Depends only on the options.
struct HoldPlan {
  static let loops = 3
  let steps: [HoldStep]

  /// Every fifth hold is shorter than the threshold. None is planned within 2 ms of it: either answer is right there.
  init(_ options: Options) {
    var generator = SeededGenerator(state: options.seed)
    var ways: [Way] = []
    steps = (0..<options.stalls + options.stalls / 4).map { place in
      if ways.isEmpty { ways = Way.allCases }
      let way = ways.remove(at: Int(generator.next() % UInt64(ways.count)))
      let isShort = place % 5 == 2
      let range =
        isShort
        ? options.threshold * 70 / 100...options.threshold * 92 / 100
        : options.threshold + 3_000_000...options.threshold * 12
      return HoldStep(
        number: place + 1, loop: Int(generator.next() % UInt64(Self.loops)), way: way,
        isComputing: generator.next() % 3 == 0, length: generator.spread(over: range),
        pause: generator.spread(over: 20_000_000...100_000_000))
    }
  }
}

/// Random numbers with the same sequence on every machine: SplitMix64.
private struct SeededGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number in the range, spread evenly over orders of magnitude.
  mutating func spread(over range: ClosedRange<UInt64>) -> UInt64 {
    let (lowest, highest) = (Double(range.lowerBound), Double(range.upperBound))
    return UInt64(lowest * pow(highest / lowest, Double(next() >> 11) * 0x1p-53))
  }
}
