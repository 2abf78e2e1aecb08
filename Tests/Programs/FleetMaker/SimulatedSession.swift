import Foundation
import SeededNumbers
import StallwatchCore
import StallwatchStore

/// A session of one program: a main run loop, a queue, and the stalls that its causes make by chance.
struct SimulatedSession {
  let instance: SimulatedInstance
  let release: String
  /// Seconds since 1970, and seconds.
  let starts: UInt64
  let length: UInt64
  let pid: Int32
  var random: RandomNumbers
  let slower: Double?

  var buildID: String {
    release == "2.0" ? "20fee00000000000000000000000000000000002" : "10fee00000000000000000000000000000000001"
  }

  /// The monotonic clock at the start.
  private static let began = 1_000 * Nanoseconds.second
  /// How often figures come.
  private static let step: UInt64 = 300
  private static let lanes = [(id: LoopID(rawValue: 1), name: "main"), (id: LoopID(rawValue: 2), name: "images")]

  mutating func write(to path: String, truth: inout FleetTruth) throws {
    var session = SessionRecord(
      process: ProcessIdentity(pid: pid, startTime: starts, bootID: "boot of \(instance.name)", host: instance.name),
      command: ["/opt/feed/feed", "--quiet"], startedAt: starts * .second, startedNs: Self.began,
      threshold: 50 * .millisecond, origin: "embedded", platform: "simulated")
    session.labels = SessionLabels(
      service: "feed", release: release, environment: instance.environment, instance: instance.name)
    let recorder = try ManualRecorder(path: path, session: session, retention: nil)
    var records: [Record] = [
      .image(
        ImageRecord(
          path: "/opt/feed/feed", buildID: buildID, base: SimulatedCause.base, start: SimulatedCause.base,
          end: SimulatedCause.base + 0x10_0000))
    ]
    for lane in Self.lanes {
      records += [
        .loop(
          LoopRecord(
            id: lane.id, name: lane.name, threadID: UInt64(lane.id.rawValue), isMain: lane.name == "main",
            startedNs: Self.began)),
        .mode(ModeRecord(loop: lane.id, index: 0, name: "kCFRunLoopDefaultMode", attachedNs: Self.began)),
      ]
    }
    try recorder.take(records)
    truth.begin(self)
    let stalls = plan()
    var next = 0
    for second in stride(from: Self.step, through: length, by: Int(Self.step)) {
      let now = Self.began + second * .second
      var records: [Record] = Self.lanes.map { .profile(profile(of: $0.id, until: now, truth: &truth)) }
      while next < stalls.count, stalls[next].at + stalls[next].duration < now {
        records += stalls[next].records(number: UInt64(next + 1))
        truth.add(stalls[next], of: self)
        next += 1
      }
      try recorder.take(records)
    }
    try recorder.close(endedNs: Self.began + length * .second)
  }

  /// The stalls of the session in the order of their starts, none longer than the session.
  private mutating func plan() -> [SimulatedStall] {
    var stalls: [SimulatedStall] = []
    for (number, cause) in SimulatedCause.all.enumerated() where occurs(cause) {
      var at = Double(Self.began) / 1e9
      while true {
        at += -log(1 - Double.random(in: 0..<1, using: &random)) / cause.perHour * 3_600
        let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        let middle = cause.middle * (number == 0 ? slower ?? 1 : 1)
        let duration = max(middle * exp(cause.spread * normal), 51)
        guard at < Double(Self.began) / 1e9 + Double(length) else { break }
        stalls.append(
          SimulatedStall(
            cause: number, lane: Self.lanes[cause.isOnQueue ? 1 : 0].id, at: Nanoseconds(at * 1e9),
            duration: Nanoseconds(duration * 1e6), looks: 1 + random.below(4)))
      }
    }
    return stalls.sorted { $0.at < $1.at }
  }

  private func occurs(_ cause: SimulatedCause) -> Bool {
    cause.release == nil || slower == nil && cause.release == release
  }

  /// What a lane did in the last step: 60 spans of a few milliseconds and the wait between them.
  private mutating func profile(of lane: LoopID, until now: Nanoseconds, truth: inout FleetTruth) -> ProfileDelta {
    var (buckets, busy, longest): ([Int: UInt32], Nanoseconds, Nanoseconds) = ([:], 0, 0)
    for _ in 0..<60 {
      let span = Nanoseconds(exp2(Double.random(in: 17..<24, using: &random)))
      buckets[HistogramLayout.index(of: span), default: 0] += 1
      (busy, longest) = (busy + span, max(longest, span))
    }
    let metric = MetricDelta(
      metric: .span, count: 60, total: busy, maximum: longest,
      buckets: buckets.sorted { $0.key < $1.key }.map { (index: $0.key, count: $0.value) })
    let start = now - Self.step * .second
    truth.add(
      lane: lane == Self.lanes[0].id ? "main" : "images", watched: now - start, iterations: 60, busy: busy, buckets,
      of: self)
    return ProfileDelta(
      loop: lane, mode: 0, atNs: now, entries: 0, iterations: 60, starved: 0, metrics: [metric],
      stretches: [
        ModeStretch(
          startNs: start, endNs: now, busy: busy, waiting: now - start - busy, iterations: 60, longest: longest)
      ])
  }

  /// The hour of the wall clock in which a moment of the session lies.
  func hour(of moment: Nanoseconds) -> UInt64 { (starts + (moment - Self.began) / .second) / 3_600 }

  /// The wall clock at a moment of the session, nanoseconds since 1970.
  func wall(_ moment: Nanoseconds) -> UInt64 { starts * .second + moment - Self.began }
}

/// A stall that is to be recorded.
struct SimulatedStall {
  var cause: Int
  var lane: LoopID
  var at: Nanoseconds
  var duration: Nanoseconds
  var looks: Int

  func records(number: UInt64) -> [Record] {
    let cause = SimulatedCause.all[cause]
    let weight = duration / Nanoseconds(looks)
    let samples = (0..<looks).map { place in
      var sample = StackSample(
        atNs: at + 50 * .millisecond + Nanoseconds(place), weight: weight,
        activity: cause.waitsIn == nil ? .running : .blocked,
        frames: [
          SimulatedCause.address(self.cause), SimulatedCause.caller + 1, SimulatedCause.main + 1,
        ])
      sample.blockedOn = cause.waitsIn.map { BlockedOn(systemCall: $0.call, target: $0.target) }
      return sample
    }
    let isBlocked = cause.waitsIn != nil
    return [
      .stallBegan(
        StallBegan(
          id: StallID(rawValue: number), loop: lane, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: at,
          detectedNs: at + 50 * .millisecond)),
      .samples(
        StallSamples(
          stall: StallID(rawValue: number), samples: samples,
          cause: StallCause(running: isBlocked ? 0 : duration, blocked: isBlocked ? duration : 0, starved: 0))),
      .stallEnded(StallEnded(id: StallID(rawValue: number), state: .ended, duration: duration, phase: .service)),
    ]
  }
}
