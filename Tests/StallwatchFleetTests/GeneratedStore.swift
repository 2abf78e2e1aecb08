import SeededNumbers
import StallwatchCore
import StallwatchStore
import TestPrograms

/// A store whose sessions lie across the edges of hours, with lanes of three kinds and stalls of every sort at random
/// places. The same for the same seed.
struct GeneratedStore {
  let directory: TestDirectory
  var path: String { directory.file("generated.stallwatch") }
  /// 2026-05-01 at 10:20:30 UTC.
  static let wall: UInt64 = 1_777_630_830

  init(seed: UInt64, sessions: Int = 3) throws {
    directory = try TestDirectory()
    for number in 0..<sessions {
      var session = GeneratedSession(number: number, random: RandomNumbers(seed: seed, number: UInt64(number)))
      try session.write(to: path)
    }
    let namer = try StoreNamer(path, checking: false)
    var batch = StoreNamer.Batch()
    for number in 0..<GeneratedSession.functions {
      let call = NamedCall(
        function: NamedFunction(name: "work\(number)()", module: "App"), file: "/build/App/Work.swift",
        line: 10 + number, isOwnSource: true)
      batch.answers.append(
        (GeneratedSession.buildID, UInt64(number + 1) * 0x100, ImageNames.Answer(wealth: .lines, calls: [call])))
    }
    try namer.write(batch)
    namer.close()
  }
}

/// A session of it.
struct GeneratedSession {
  static let functions = 8
  static let buildID = "00112233445566778899"
  private static let began = 5_000 * Nanoseconds.second
  private static let base: UInt64 = 0x5555_0000_0000
  private let number: Int
  private var random: RandomNumbers
  private var nextStall: UInt64 = 1

  init(number: Int, random: RandomNumbers) { (self.number, self.random) = (number, random) }

  private static let lanes: [(id: LoopID, name: String, kind: LaneKind)] = [
    (LoopID(rawValue: 1), "main", .runLoop), (LoopID(rawValue: 2), "worker", .runLoop),
    (LoopID(rawValue: 3), "images", .queue),
  ]

  mutating func write(to path: String) throws {
    let record = SessionRecord(
      process: ProcessIdentity(pid: 100 + Int32(number), startTime: UInt64(number), bootID: "boot", host: "host"),
      command: ["/opt/app"], startedAt: (GeneratedStore.wall + UInt64(number) * 5_000) * .second,
      startedNs: Self.began, threshold: 50 * .millisecond, origin: "embedded", platform: "generated")
    let recorder = try ManualRecorder(path: path, session: record, retention: nil)
    var records: [Record] = [
      .image(
        ImageRecord(
          path: "/opt/app", buildID: Self.buildID, base: Self.base, start: Self.base, end: Self.base + 0x10_0000))
    ]
    for lane in Self.lanes {
      records.append(
        .loop(
          LoopRecord(
            id: lane.id, name: lane.name, threadID: UInt64(lane.id.rawValue), isMain: lane.name == "main",
            kind: lane.kind, startedNs: Self.began)))
      records.append(
        .mode(ModeRecord(loop: lane.id, index: 0, name: "kCFRunLoopDefaultMode", attachedNs: Self.began)))
    }
    try recorder.take(records)
    var now = Self.began
    // More than two hours, in steps of some seconds or minutes.
    while now < Self.began + 8_000 * .second {
      let step =
        Nanoseconds(random.below(3) == 0 ? 100 + random.below(900) : 1 + random.below(20)) * .second
        + Nanoseconds(random.below(1_000_000_000))
      records = Self.lanes.map { .profile(profile(of: $0, from: now, until: now + step)) }
      for lane in Self.lanes where random.chance(60) { records += stall(of: lane, at: now + step / 2) }
      now += step
      try recorder.take(records)
    }
    try recorder.close(endedNs: now)
  }

  private mutating func profile(
    of lane: (id: LoopID, name: String, kind: LaneKind), from start: Nanoseconds, until end: Nanoseconds
  ) -> ProfileDelta {
    let spans = (0..<UInt64(1 + random.below(40))).map { _ in Nanoseconds(1_000 + random.below(5_000_000)) }
    let busy = spans.reduce(0, +)
    let waiting = end - start - busy
    // A queue's metrics are how long items were served, and waited.
    let waits = lane.kind == .queue ? spans.map { $0 / 3 } : [waiting]
    var metrics = [Self.growth(.span, spans), Self.growth(.waiting, waits)]
    if lane.kind == .runLoop { metrics.append(Self.growth(.service, spans)) }
    return ProfileDelta(
      loop: lane.id, mode: 0, atNs: end, entries: 0, iterations: UInt64(spans.count), starved: 0, metrics: metrics,
      stretches: [
        ModeStretch(
          startNs: start, endNs: end, busy: busy, waiting: waiting, iterations: UInt64(spans.count),
          longest: spans.max() ?? 0)
      ])
  }

  private mutating func stall(
    of lane: (id: LoopID, name: String, kind: LaneKind), at start: Nanoseconds
  ) -> [Record] {
    let id = StallID(rawValue: nextStall)
    nextStall += 1
    let kind: StallKind = lane.kind == .runLoop ? [.stall, .stall, .congestion, .away][random.below(4)] : .stall
    let state: StallState = random.chance(90) ? .ended : .cancelled
    let duration = Nanoseconds(50 + random.below(1_500)) * .millisecond
    let functions = (0..<random.below(4)).map { _ in random.below(Self.functions) }
    let samples = functions.enumerated().map { place, function in
      let address = { (number: Int) in Self.base + UInt64(number + 1) * 0x100 }
      var sample = StackSample(
        atNs: start + 50 * .millisecond + Nanoseconds(place), weight: duration / Nanoseconds(functions.count),
        activity: .running, frames: [address(function), address((function + 1) % Self.functions) + 1])
      if random.chance(30) {
        sample.activity = .blocked
        sample.blockedOn = BlockedOn(systemCall: "read", target: "/data/\(function)")
      }
      return sample
    }
    var records: [Record] = [
      .stallBegan(
        StallBegan(
          id: id, loop: lane.id, mode: 0, phase: .service, depth: 1, kind: kind, startedNs: start,
          detectedNs: start + 50 * .millisecond, annotations: ["screen": "Feed"]))
    ]
    if !samples.isEmpty {
      let cause = StallCause(running: duration, blocked: 0, starved: 0)
      records.append(.samples(StallSamples(stall: id, samples: samples, cause: cause)))
    }
    records.append(.stallEnded(StallEnded(id: id, state: state, duration: duration, phase: .service)))
    return records
  }

  private static func growth(_ metric: Metric, _ durations: [Nanoseconds]) -> MetricDelta {
    let buckets = Dictionary(durations.map { (HistogramLayout.index(of: $0), UInt32(1)) }, uniquingKeysWith: +)
    return MetricDelta(
      metric: metric, count: UInt64(durations.count), total: durations.reduce(0, +), maximum: durations.max() ?? 0,
      buckets: buckets.sorted { $0.key < $1.key }.map { (index: $0.key, count: $0.value) })
  }
}
