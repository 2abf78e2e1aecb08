import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Folds stores into one side of a comparison, session by session.
struct SideFolding {
  private(set) var side = ComparedSide()
  private let configuration: ComparisonConfiguration
  private let search: SymbolSearch

  private var known: Set<OriginalSession> = []

  /// Starts with an empty side.
  init(configuration: ComparisonConfiguration, search: SymbolSearch) {
    self.configuration = configuration
    self.search = search
  }

  /// Adds the store called `name`, and its stalls to `signatures`. A session that an earlier store had, as where that
  /// was merged, is left out: counted twice, it would make chance look sure. Throws what `contents` throws.
  mutating func add<Contents: StoreContents>(
    _ contents: Contents, name: String, signatures: inout SignatureFolding
  ) throws {
    side.stores.append(name)
    let stacks = StackReader(contents, search: search)
    var places: [Int64: (place: Int, start: Nanoseconds)] = [:]
    var loops: Set<Int64> = []
    for session in try contents.sessions() {
      guard known.insert(OriginalSession(session)).inserted else {
        side.repeated += 1
        continue
      }
      var compared = ComparedSession(duration: session.duration, threshold: session.record.threshold)
      compared.labels = CommonLabels(try contents.labels(of: session), said: session.record.labels)
      loops.formUnion(try addLoops(of: session, contents, stacks, to: &compared))
      places[session.id] = (side.sessions.count, session.record.startedNs)
      side.sessions.append(compared)
    }
    for sort in try contents.stallTotals() where loops.contains(sort.loop) { side.stalls.add(sort) }
    try contents.forEachSampledStall { stall, samples in
      guard stall.state != .cancelled, stall.began.kind != .congestion, let session = places[stall.session] else {
        return
      }
      let analysis = try stacks.analysis(of: samples, session: stall.session)
      guard let signature = analysis?.signature, let blame = analysis?.blame else {
        if let cause = stall.cause { side.unread[Self.main(cause), default: 0] += 1 }
        return
      }
      signatures.add(StallSum(stall), (signature, blame))
      side.sessions[session.place].addStall(
        cause: signature.key, at: stall.began.startedNs.since(session.start), duration: stall.duration)
      let place = ComparedSide.Place(store: name, stall: stall.id)
      var cause =
        side.causes[signature.key]
        ?? ComparedSide.Cause(signature: signature, blame: blame, worst: (place, stall.duration))
      if stall.duration > cause.worst?.duration ?? 0 { cause.worst = (place, stall.duration) }
      side.causes[signature.key] = cause
    }
  }

  /// What the thread did for most of the watched time.
  private static func main(_ cause: StallCause) -> ThreadActivity {
    if cause.running >= max(cause.blocked, cause.starved) { return .running }
    return cause.blocked >= cause.starved ? .blocked : .starved
  }

  /// Adds the figures of a session's loops and timers. Returns the rows of the loops.
  private func addLoops<Contents: StoreContents>(
    of session: StoredSession, _ contents: Contents, _ stacks: StackReader<Contents>,
    to compared: inout ComparedSession
  ) throws -> [Int64] {
    var clumps = SpanClumps()
    try contents.forEachWindow(session: session.id, withCells: false) { clumps.add($0) }
    var names: [Int64: String] = [:]
    for loop in try contents.loops(session: session.id) {
      names[loop.id] = loop.record.name
      for mode in try contents.modes(loop: loop.id) {
        compared.iterations = compared.iterations.saturatingAdd(mode.iterations)
        compared.seconds += Double(LoopTime(mode).whole) / 1e9
        let key = ComparedSession.ModeKey(loop: loop.record.name, mode: mode.laneKind.hasModes ? mode.name : nil)
        let tallies = Self.pooled(compared.modes[key] ?? [:], mode, configuration.catalog.mode)
        if !tallies.isEmpty { compared.modes[key] = tallies }
        if let spans = mode.metrics[.span], let clump = clumps.clump(of: mode.id, spans: spans) {
          compared.clumps[key] = max(compared.clumps[key] ?? 1, clump)
        }
      }
    }
    let timers = TimerFolding(contents: contents, stacks: stacks)
    try timers.forEachSite(of: session) { timer, _ in
      let key = ComparedSession.TimerKey(
        loop: timer.loop.flatMap { names[$0] } ?? Figure.unknown,
        timer: try timers.title(of: timer.record, session: session.id))
      compared.timers[key] = Self.pooled(compared.timers[key] ?? [:], timer, configuration.catalog.timer)
    }
    var drops = (sum: 0.0, squares: 0.0)
    try contents.forEachTimerWindow(session: session.id) { _, window in
      drops.sum += Double(window.dropped)
      drops.squares += Double(window.dropped) * Double(window.dropped)
    }
    if drops.sum > 0 { compared.dropClump = drops.squares / drops.sum }
    return Array(names.keys)
  }

  /// `known` with what `stored` has of the compared measures.
  private static func pooled<Subject, Stored>(
    _ known: ComparedSession.Tallies, _ stored: Stored, _ measures: [Measure<Subject, Stored>]
  ) -> ComparedSession.Tallies {
    measures.reduce(into: known) { tallies, measure in
      guard measure.question != nil, let tally = measure.tally?(stored) else { return }
      tallies[measure.key] = tallies[measure.key].map { $0.pooled(with: tally) } ?? tally
    }
  }

  /// The folded side, with the causes taken together that `merged` says are one.
  func folded(merged: [Signature: Signature]) -> ComparedSide {
    var folded = side
    folded.merge(merged)
    // A session in which nothing ran says nothing.
    folded.sessions.removeAll { $0.seconds <= 0 && $0.causes.isEmpty && $0.modes.isEmpty && $0.timers.isEmpty }
    return folded
  }
}
