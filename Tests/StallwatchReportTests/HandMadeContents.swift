import StallwatchCore
import Synchronization

@testable import StallwatchReport
@testable import StallwatchStore

/// A store's contents made by hand, without a file.
struct HandMadeContents: StoreContents {
  var storedSessions: [StoredSession] = []
  var storedLoops: [StoredLoop] = []
  var storedModes: [StoredMode] = []
  var storedStalls: [StoredStall] = []
  var storedHealth: [Int64: StoredHealth] = [:]
  /// By stall.
  var storedSamples: [Int64: [StackSample]] = [:]
  /// By session.
  var storedImages: [Int64: [ImageRecord]] = [:]
  /// By loop.
  var storedProfiles: [Int64: [ProfiledStack]] = [:]

  func sessions() -> [StoredSession] { storedSessions }
  func loops(session: Int64) -> [StoredLoop] { storedLoops.filter { $0.session == session } }
  func modes(loop: Int64) -> [StoredMode] { storedModes.filter { $0.loop == loop } }

  func modeNames(loop: Int64) -> [(Int64, String)] { modes(loop: loop).map { ($0.id, $0.name) } }

  /// How often everything of a kind was read; nil: nobody asks.
  var passes: Passes?
  final class Passes: Sendable {
    enum Kind {
      case samples, stalls, windows
    }
    private let counts = Mutex<[Kind: Int]>([:])
    func note(_ kind: Kind) { counts.withLock { $0[kind, default: 0] += 1 } }
    func count(_ kind: Kind) -> Int { counts.withLock { $0[kind] ?? 0 } }
  }

  /// By session.
  var storedWindows: [Int64: [StoredWindow]] = [:]
  func forEachWindow(session: Int64, withCells: Bool, _ body: (StoredWindow) throws -> Void) rethrows {
    passes?.note(.windows)
    for window in storedWindows[session] ?? [] { try body(window) }
  }

  func openStalls() -> [StoredStall] { storedStalls.filter { [.began, .fatal].contains($0.state) } }
  func lastStalls(limit: Int) -> [StoredStall] { Array(storedStalls.reversed().prefix(limit)) }
  func forEachTimerLedger(session: Int64, _ body: (StoredTimer) throws -> Void) rethrows {
    try forEachTimer(session: session, body)
  }

  func stallTotals() -> [StallTotal] {
    storedStalls.map {
      StallTotal(
        loop: $0.loop, kind: $0.began.kind, state: $0.state, severity: $0.severity, count: 1, total: $0.duration)
    }
  }

  func worstStalls(limit: Int) -> [StoredStall] {
    Array(storedStalls.filter { $0.state != .cancelled }.sorted { $0.duration > $1.duration }.prefix(limit))
  }

  func forEachStall(_ body: (StoredStall) throws -> Void) rethrows {
    passes?.note(.stalls)
    for stall in stallsByStart { try body(stall) }
  }

  private var stallsByStart: [StoredStall] { storedStalls.sorted { $0.began.startedNs < $1.began.startedNs } }

  func forEachStall(session: Int64, _ body: (StoredStall) throws -> Void) rethrows {
    try forEachStall { if $0.session == session { try body($0) } }
  }

  func stall(id: Int64) -> StoredStall? { storedStalls.first { $0.id == id } }
  func samples(stall: Int64) -> [StackSample] { storedSamples[stall] ?? [] }
  func images(session: Int64) -> [ImageRecord] { storedImages[session] ?? [] }
  func profile(loop: Int64) -> [ProfiledStack] { storedProfiles[loop] ?? [] }

  /// By session, by stall and by loop.
  var storedTimers: [Int64: [StoredTimer]] = [:]
  var storedStallTimers: [Int64: [StoredStallTimer]] = [:]
  var storedTicks: [Int64: [DriftTick]] = [:]

  func forEachTimer(session: Int64, _ body: (StoredTimer) throws -> Void) rethrows {
    for timer in storedTimers[session] ?? [] { try body(timer) }
  }
  /// By session, each with its timer.
  var storedTimerWindows: [Int64: [(timer: Int64, window: TimerWindow)]] = [:]
  func forEachTimerWindow(session: Int64, _ body: (_ timer: Int64, TimerWindow) throws -> Void) rethrows {
    for (timer, window) in storedTimerWindows[session] ?? [] { try body(timer, window) }
  }
  func timer(id: Int64) -> TimerRecord? { storedTimers.values.joined().first { $0.id == id }?.record }
  func timers(stall: Int64) -> [StoredStallTimer] { storedStallTimers[stall] ?? [] }
  func forEachTick(session: Int64, _ body: (StoredTick) throws -> Void) rethrows {
    for loop in loops(session: session) {
      for tick in storedTicks[loop.id] ?? [] { try body(StoredTick(loop: loop.id, tick: tick)) }
      for window in storedTickWindows[loop.id] ?? [] {
        for kept in window.kept { try body(StoredTick(loop: loop.id, tick: kept.tick, machine: kept.machine)) }
      }
    }
  }
  /// By loop.
  var storedTickWindows: [Int64: [TickWindow]] = [:]
  func forEachTickWindow(session: Int64, _ body: (_ loop: Int64, TickWindow) throws -> Void) rethrows {
    for loop in loops(session: session) {
      for window in storedTickWindows[loop.id] ?? [] { try body(loop.id, window) }
    }
  }

  func forEachSampledStall(_ body: (StoredStall, [StackSample]) throws -> Void) rethrows {
    passes?.note(.samples)
    for stall in stallsByStart {
      if let samples = storedSamples[stall.id] { try body(stall, samples) }
    }
  }

  /// Each sample has a row of its own, and its lock's owner the next.
  private var rows: [(stall: Int64, stacks: [[UInt64]])] {
    storedSamples.sorted { $0.key < $1.key }.map { stall, samples in
      (stall, samples.flatMap { [$0.frames, $0.blockedOn?.owner?.frames ?? []] })
    }
  }

  func forEachBriefStall(_ body: (BriefStall, [BriefSample]) throws -> Void) rethrows {
    var first: [Int64: Int64] = [:]
    var next: Int64 = 1
    for (stall, stacks) in rows {
      first[stall] = next
      next += Int64(stacks.count)
    }
    try forEachSampledStall { stall, samples in
      let brief = BriefStall(
        id: stall.id, session: stall.session, state: stall.state, startedNs: stall.began.startedNs,
        duration: stall.duration,
        cause: stall.cause)
      try body(
        brief,
        samples.enumerated().map { place, sample in
          let row = (first[stall.id] ?? 0) + 2 * Int64(place)
          var blockedOn = sample.blockedOn
          blockedOn?.owner?.frames = []
          let look = BriefSample.Look(
            activity: sample.activity, stack: row, blockedOn: blockedOn,
            ownerStack: blockedOn?.owner == nil ? nil : row + 1)
          return BriefSample(look: look, weight: sample.weight)
        })
    }
  }

  func frames(stack: Int64) -> [UInt64] { rows.flatMap(\.stacks)[Int(stack) - 1] }

  func forEachHold(
    session: Int64, _ body: (_ loop: Int64, _ startedNs: Nanoseconds, Nanoseconds) throws -> Void
  ) rethrows {
    try forEachStall(session: session) {
      guard $0.began.kind == .stall, $0.state != .cancelled else { return }
      try body($0.loop, $0.began.startedNs, $0.duration)
    }
  }

  func health(session: Int64) -> StoredHealth {
    storedHealth[session]
      ?? StoredHealth(observerTotal: 0, monitorCPU: 0, wakeups: 0, watchdogLateness: nil, losses: [:], intervals: [])
  }
}

extension HandMadeContents {
  /// When every session made here started, on the monotonic clock.
  static let start: Nanoseconds = 1_000 * .second

  /// Adds a session that lasted `duration`, started on 2026-05-01 at 10:20:30 UTC.
  mutating func addSession(
    id: Int64 = 1, command: [String] = ["app", "--fast"], duration: Nanoseconds = 10 * .second,
    threshold: Nanoseconds = 50 * .millisecond, ended: SessionEnd = .clean, exitStatus: Int32? = nil
  ) {
    storedSessions.append(
      StoredSession(
        id: id,
        record: SessionRecord(
          process: ProcessIdentity(pid: 4_000 + Int32(id), startTime: 7, bootID: "boot", host: "host"),
          command: command, startedAt: 1_777_630_830 * .second, startedNs: Self.start, threshold: threshold,
          origin: "injected", platform: "linux x86_64"),
        ended: ended, exitStatus: exitStatus, lastSeenNs: Self.start + duration))
  }

  /// Adds a loop with one mode whose metrics have these samples.
  mutating func addLoop(
    id: Int64 = 1, session: Int64 = 1, name: String = "main", mode: String = "kCFRunLoopDefaultMode",
    iterations: UInt64 = 0, starved: Nanoseconds = 0, samples: [Metric: [Nanoseconds]] = [:], kind: LaneKind = .runLoop
  ) {
    storedLoops.append(
      StoredLoop(
        id: id, session: session,
        record: LoopRecord(
          id: LoopID(rawValue: UInt32(id)), name: name, threadID: 5_000 + UInt64(id), isMain: name == "main",
          kind: kind, startedNs: Self.start),
        endedNs: nil, outside: 3 * .millisecond, activities: 6 &* iterations))
    addMode(id: id * 100, loop: id, name: mode, iterations: iterations, starved: starved, samples: samples)
  }

  /// Adds a mode to a loop.
  mutating func addMode(
    id: Int64, loop: Int64, name: String, iterations: UInt64 = 0, starved: Nanoseconds = 0,
    samples: [Metric: [Nanoseconds]] = [:]
  ) {
    let kind = storedLoops.first { $0.id == loop }?.record.kind ?? .runLoop
    storedModes.append(
      StoredMode(
        id: id, loop: loop, laneKind: kind, name: name, attachedNs: Self.start, entries: 1, iterations: iterations,
        starved: starved,
        metrics: samples.mapValues(StoredMetric.init(samples:))))
  }

  /// Adds a stall that began `offset` after the session.
  mutating func addStall(
    id: Int64, loop: Int64 = 1, session: Int64 = 1, mode: String = "kCFRunLoopDefaultMode",
    duration: Nanoseconds, at offset: Nanoseconds = .second, kind: StallKind = .stall, state: StallState = .ended,
    reason: String? = nil, annotations: [String: String] = [:], cause: StallCause? = nil
  ) {
    let started = Self.start + offset
    storedStalls.append(
      StoredStall(
        id: id, session: session, loop: loop, mode: mode,
        began: StallBegan(
          id: StallID(rawValue: UInt64(id)), loop: LoopID(rawValue: UInt32(loop)), mode: 0, phase: .service, depth: 1,
          kind: kind, startedNs: started, detectedNs: started + 50 * .millisecond + 200 * .microsecond,
          annotations: annotations),
        state: state, duration: duration, reason: reason, cause: cause))
  }

  /// The report on these contents.
  func report(_ configuration: ReportConfiguration = ReportConfiguration()) throws -> Report {
    try ReportBuilder(configuration: configuration).build(from: self)
  }
}

extension StoredMetric {
  /// The metric that has exactly these samples.
  init(samples: [Nanoseconds]) {
    var histogram = DurationHistogram()
    for sample in samples { histogram.record(sample) }
    self.init(
      count: UInt64(samples.count), total: samples.reduce(0, +), maximum: samples.max() ?? 0, histogram: histogram)
  }
}
