import StallwatchCore
import StallwatchStore

/// Folds stalls and their samples into marks. Takes the samples first, then the stalls themselves.
struct StallMarking<Contents: StoreContents> {
  /// A sampled stack of one session.
  private struct Stack: Hashable {
    var session: Int64
    var addresses: [UInt64]
  }

  /// What the samples of a stall say.
  private struct Sampled {
    var signature: Signature?
    var runs: StackRuns
  }

  /// How many marks there may be, and how long a stall must be for one.
  private let mostMarks: Int
  private let shortest: Nanoseconds
  private let mostRuns: Int
  private let stacks: StackReader<Contents>
  private let starts: [Int64: Nanoseconds]
  private var known: [Stack: (node: Int, isWhole: Bool)] = [:]
  /// By the stall's row.
  private var sampled: [Int64: Sampled] = [:]
  /// All stalls with a signature, for what is counted of those without a mark, too.
  private var members: [(stall: Int64, signature: Int32)] = []
  /// The signatures by number, and their numbers: a million stalls have a few dozen.
  private var signatures: [Signature] = []
  private var numbers: [Signature: Int32] = [:]
  private(set) var table: PageStacks
  private(set) var marks: [StallMark] = []
  /// How many stalls have no mark.
  private(set) var leftOut = 0

  /// The most stacks whose node is remembered, 1 KB each at most: most samples repeat a stack.
  private static var mostKnown: Int { 20_000 }

  /// A folding of `count` stalls, of which those of at least `shortest` get a mark.
  init(
    count: Int, shortest: Nanoseconds, sessions: [StoredSession], stacks: StackReader<Contents>,
    configuration: PageConfiguration
  ) {
    mostMarks = configuration.marks
    mostRuns = min(max(configuration.runs / max(min(count, mostMarks), 1), 2), 32)
    table = PageStacks(mostNodes: configuration.stacks)
    starts = Dictionary(sessions.map { ($0.id, $0.record.startedNs) }, uniquingKeysWith: { first, _ in first })
    (self.shortest, self.stacks) = (shortest, stacks)
  }

  /// Takes in the samples of a stall. Throws what the contents throw.
  mutating func add(_ stall: StoredStall, _ samples: [StackSample], _ analysis: StallAnalysis) throws {
    guard stall.state != .cancelled else { return }
    if let signature = analysis.signature { members.append((stall.id, number(of: signature))) }
    guard stall.duration >= shortest else { return }
    var runs = StackRuns()
    for sample in samples {
      let (node, isWhole) = try node(of: sample.frames, session: stall.session)
      runs.add(StackRuns.Run(stack: node, activity: sample.activity, weight: sample.weight), isWhole: isWhole)
    }
    runs.limit(to: mostRuns, in: table)
    sampled[stall.id] = Sampled(signature: analysis.signature, runs: runs)
  }

  private mutating func number(of signature: Signature) -> Int32 {
    if let number = numbers[signature] { return number }
    let number = Int32(signatures.count)
    signatures.append(signature)
    numbers[signature] = number
    return number
  }

  /// Takes in a stall; whether it got a mark.
  mutating func add(_ stall: StoredStall, causes: [Signature: StallMark.Cause]) -> Bool {
    guard stall.state != .cancelled else { return true }
    guard stall.duration >= shortest, marks.count < mostMarks, let start = starts[stall.session] else {
      leftOut += 1
      return false
    }
    let sample = sampled.removeValue(forKey: stall.id)
    let cause = sample?.signature.map { causes[$0] ?? .other } ?? .unknown
    marks.append(
      StallMark(
        id: stall.id, session: stall.session, loop: stall.loop, start: stall.began.startedNs.since(start),
        duration: stall.duration, kind: stall.began.kind, state: stall.state, phase: stall.began.phase,
        mode: stall.mode, annotations: stall.began.annotations, cause: cause,
        activity: stall.cause, runs: sample?.runs ?? StackRuns()))
    return true
  }

  /// The node of a stack of a session. Throws what the contents throw.
  mutating func node(of addresses: [UInt64], session: Int64) throws -> (node: Int, isWhole: Bool) {
    let stack = Stack(session: session, addresses: addresses)
    if let found = known[stack] { return found }
    let frames = try stacks.frames(addresses, session: session)
    let found = table.node(of: FoldedStack.inside(frames).frames)
    if known.count >= Self.mostKnown { known = [:] }
    known[stack] = found
    return found
  }

  /// For each timer, how many stalls of each listed cause hurt it.
  mutating func hurt(_ timers: [TimerReport], causes: [Signature: StallMark.Cause]) -> [[Int: Int]] {
    members.sort { $0.stall < $1.stall }
    return timers.map { timer in
      var counts: [Int: Int] = [:]
      for stall in timer.timer.stalls.rows {
        let place = members.partitioningIndex { $0.stall >= stall }
        guard place < members.count, members[place].stall == stall,
          case .listed(let cause)? = causes[signatures[Int(members[place].signature)]]
        else { continue }
        counts[cause, default: 0] += 1
      }
      return counts
    }
  }
}
