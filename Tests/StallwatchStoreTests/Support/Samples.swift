import StallwatchCore
import StallwatchStore
import Testing

/// Records with figures that are easy to recognize.
enum Sample {
  static let main = LoopID(rawValue: 1)
  static let start: Nanoseconds = 1_000 * .second

  static func session(process: ProcessIdentity = .current(), command: [String] = ["program", "--flag"]) -> SessionRecord
  {
    SessionRecord(
      process: process, command: command, startedAt: 1_750_000_000 * .second, startedNs: start,
      threshold: 50 * .millisecond, origin: "embedded", platform: "linux x86_64")
  }

  static let labels = SessionLabels(
    service: "checkout", release: "4.2.0", environment: "production", instance: "web-1",
    tags: ["region": "eu", "tier": "free, for now"])

  /// The same session with labels.
  static func labelled(_ labels: SessionLabels = labels) -> SessionRecord {
    var session = session(command: ["fixture", "--version", "10"])
    session.labels = labels
    session.programBuildID = "0123456789abcdef"
    return session
  }

  /// A process that is no more: its pid is used by another one.
  static var deadProcess: ProcessIdentity {
    var process = ProcessIdentity.current()
    process.startTime += 1
    return process
  }

  static func loop(_ id: LoopID = main, name: String = "main") -> Record {
    .loop(LoopRecord(id: id, name: name, threadID: 4_711, isMain: id == main, startedNs: start))
  }

  static func mode(_ index: Int = 0, of loop: LoopID = main, name: String = "kCFRunLoopDefaultMode") -> Record {
    .mode(ModeRecord(loop: loop, index: index, name: name, attachedNs: start))
  }

  /// What `durations` add to a metric's histogram, of which `before` were the longest so far.
  static func growth(_ metric: Metric, _ durations: [Nanoseconds], longestBefore: Nanoseconds = 0) -> MetricDelta {
    var buckets: [Int: UInt32] = [:]
    for duration in durations { buckets[HistogramLayout.index(of: duration), default: 0] += 1 }
    return MetricDelta(
      metric: metric, count: UInt64(durations.count), total: durations.reduce(0, +),
      maximum: max(longestBefore, durations.max() ?? 0),
      buckets: buckets.sorted { $0.key < $1.key }.map { (index: $0.key, count: $0.value) })
  }

  static func profile(
    at moment: Nanoseconds, mode: Int = 0, of loop: LoopID = main, _ metrics: [MetricDelta]
  ) -> Record {
    .profile(
      ProfileDelta(
        loop: loop, mode: mode, atNs: start + moment, entries: 1, iterations: 2, starved: 3, metrics: metrics,
        stretches: [ModeStretch(startNs: start + moment, endNs: start + moment + 1, iterations: 2)]))
  }

  static func began(
    _ number: UInt64, at moment: Nanoseconds, of loop: LoopID = main, annotations: [String: String] = [:]
  ) -> Record {
    .stallBegan(
      StallBegan(
        id: StallID(rawValue: number), loop: loop, mode: 0, phase: .service, depth: 1, kind: .stall,
        startedNs: start + moment, detectedNs: start + moment + 50 * .millisecond, annotations: annotations))
  }

  static func ended(
    _ number: UInt64, duration: Nanoseconds, state: StallState = .ended, reason: String? = nil
  ) -> Record {
    .stallEnded(
      StallEnded(id: StallID(rawValue: number), state: state, duration: duration, phase: .sources, reason: reason))
  }

  static func health(at moment: Nanoseconds, lateness: MetricDelta? = nil, obstacle: String? = nil) -> Record {
    .health(
      HealthRecord(
        atNs: start + moment, observerTotal: 11, monitorCPU: 12, wakeups: 13, watchdogLateness: lateness,
        signalObstacle: obstacle))
  }

  /// A sample that was taken `moment` after the session's start.
  static func sample(
    at moment: Nanoseconds, weight: Nanoseconds = 10 * .millisecond, _ activity: ThreadActivity = .running,
    _ frames: [UInt64] = [0x5555_0000_1000, 0x7fff_0000_2000], on blockedOn: BlockedOn? = nil
  ) -> StackSample {
    StackSample(atNs: start + moment, weight: weight, activity: activity, frames: frames, blockedOn: blockedOn)
  }

  static func samples(_ number: UInt64, _ samples: [StackSample], cause: StallCause? = nil) -> Record {
    .samples(StallSamples(stall: StallID(rawValue: number), samples: samples, cause: cause))
  }

  /// A thread that waits for a lock which another one holds.
  static let lock = BlockedOn(
    systemCall: "futex", target: "futex",
    owner: LockOwner(threadID: 4_712, name: "writer", frames: [0x5555_0000_9000, 0x7fff_0000_2000]))

  static let image = ImageRecord(
    path: "/usr/lib/libexample.so", buildID: "0123456789abcdef", base: 0x7fff_0000_0000, start: 0x7fff_0000_1000,
    end: 0x7fff_0000_8000)

  /// Records that in a store of their own and closes it.
  static func write(
    _ records: [Record], to path: String, session: SessionRecord = session(), closing: Bool = true
  ) throws {
    let recorder = try StoreRecorder(path: path, session: session, configuration: .patient)
    for record in records { #expect(recorder.take(record)) }
    if closing { recorder.close(endedNs: start + 100 * .second) }
  }
}
