import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Pools stores into one side of a comparison. Keeps only the worst stall and a bounded number of durations per cause.
struct SideFolding {
  private(set) var side = ComparedSide()
  private let configuration: ComparisonConfiguration
  private let search: SymbolSearch
  /// Chooses the durations to keep; its fixed seed makes every comparison choose alike.
  private var random = SplitMix(state: 0x5374_6c77)

  /// Starts with an empty side.
  init(configuration: ComparisonConfiguration, search: SymbolSearch) {
    self.configuration = configuration
    self.search = search
  }

  /// Adds the store called `name`. Throws what `contents` throws.
  mutating func add<Contents: StoreContents>(_ contents: Contents, name: String) throws {
    side.stores.append(name)
    let stacks = StackReader(contents, search: search)
    let sessions = try contents.sessions()
    var names: [Int64: String] = [:]
    var starts: [Int64: (base: Int, start: Nanoseconds, duration: Nanoseconds)] = [:]
    for session in sessions {
      starts[session.id] = (side.sliceCount, session.record.startedNs, max(session.duration, 1))
      side.sliceCount += ComparedSide.slicesPerSession
      side.sessions += 1
      for loop in try contents.loops(session: session.id) {
        names[loop.id] = loop.record.name
        for mode in try contents.modes(loop: loop.id) { add(mode, of: loop.record.name) }
      }
    }
    for sort in try contents.stallTotals() { side.stalls.add(sort) }
    let timers = TimerFolding(contents: contents, stacks: stacks)
    for session in sessions {
      try timers.forEachSite(of: session) { timer, _ in
        let loop = timer.loop.flatMap { names[$0] } ?? Figure.unknown
        let title = try timers.title(of: timer.record, session: session.id)
        add(timer, key: ComparedSide.TimerKey(loop: loop, timer: title))
      }
    }
    try contents.forEachSampledStall { stall, samples in
      guard stall.state != .cancelled, stall.began.kind != .congestion, let session = starts[stall.session],
        let signature = try stacks.analysis(of: samples, session: stall.session)?.signature
      else { return }
      let share = Double(stall.began.startedNs.since(session.start)) / Double(session.duration)
      let last = ComparedSide.slicesPerSession - 1
      add(stall, signature, slice: session.base + min(Int(share * Double(last + 1)), last), store: name)
    }
  }

  private mutating func add(_ mode: StoredMode, of loop: String) {
    side.iterations = side.iterations.saturatingAdd(mode.iterations)
    side.loopSeconds += Double(LoopTime(mode).whole) / 1e9
    let key = ComparedSide.ModeKey(loop: loop, mode: mode.laneKind.hasModes ? mode.name : nil)
    let known = side.modes.removeValue(forKey: key) ?? [:]
    let tallies = Self.pooled(known, mode, configuration.catalog.mode)
    if !tallies.isEmpty { side.modes[key] = tallies }
  }

  private mutating func add(_ timer: StoredTimer, key: ComparedSide.TimerKey) {
    let known = side.timers.removeValue(forKey: key) ?? [:]
    side.timers[key] = Self.pooled(known, timer, configuration.catalog.timer)
  }

  /// `known` with what `stored` has of the compared measures.
  private static func pooled<Subject, Stored>(
    _ known: ComparedSide.Tallies, _ stored: Stored, _ measures: [Measure<Subject, Stored>]
  ) -> ComparedSide.Tallies {
    measures.reduce(into: known) { tallies, measure in
      guard measure.question != nil, let tally = measure.tally?(stored) else { return }
      tallies[measure.key] = tallies[measure.key].map { $0.pooled(with: tally) } ?? tally
    }
  }

  private mutating func add(_ stall: StoredStall, _ signature: Signature, slice: Int, store: String) {
    let place = ComparedSide.Place(store: store, stall: stall.id)
    var cause =
      side.causes[signature.key] ?? ComparedSide.Cause(signature: signature, worst: (place, stall.duration))
    cause.count += 1
    cause.total = cause.total.saturatingAdd(stall.duration)
    if stall.duration > cause.worst.duration { cause.worst = (place, stall.duration) }
    cause.slices[slice, default: 0] += 1
    // Reservoir sampling: Vitter, "Random sampling with a reservoir", ACM Transactions on Mathematical Software 11,
    // 1985, algorithm R.
    if cause.durations.count < configuration.keptDurations {
      cause.durations.append(stall.duration)
    } else {
      let chosen = Int.random(in: 0..<cause.count, using: &random)
      if chosen < cause.durations.count { cause.durations[chosen] = stall.duration }
    }
    side.causes[signature.key] = cause
  }
}

/// A random number generator with 64 bits of state (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
