import StallwatchCore
import StallwatchStore
import TestPrograms

/// A real store with figures that are easy to recognize: one session of 10 s, a main loop that turned 102 times, a
/// stall of 812 ms and one of 60 ms.
struct SampleStore {
  /// Where it is; nothing else is in that directory.
  let directory: TestDirectory
  /// The store.
  var path: String { directory.file("sample.stallwatch") }

  private static let start: Nanoseconds = 1_000 * .second
  private static let main = LoopID(rawValue: 1)

  /// Writes the store. `stalls` more stalls of 100 ms are added; where `sampled`, all stalls have samples, whose addresses
  /// lie in no image, and the loop has a profile. `timers` timers are added, of which the first was hurt by the stall of
  /// 812 ms and by a mode, with 100 ticks of the drift probe.
  init(stalls: Int = 0, sampled: Bool = false, timers: Int = 0) throws {
    directory = try TestDirectory()
    var session = SessionRecord(
      process: .current(), command: ["app", "--fast"], startedAt: 1_777_630_830 * .second, startedNs: Self.start,
      threshold: 50 * .millisecond, origin: "embedded", platform: "linux x86_64")
    session.process.host = "host"
    var configuration = StoreRecorder.Configuration()
    // Longer than any machine takes.
    (configuration.openTimeout, configuration.closeTimeout) = (60 * .second, 60 * .second)
    configuration.queueCapacity = 12 + 3 * (stalls + 2) + 2 * timers + 102
    let recorder = try StoreRecorder(path: path, session: session, configuration: configuration)
    recorder.take(
      .loop(LoopRecord(id: Self.main, name: "main", threadID: 4_711, isMain: true, startedNs: Self.start)))
    recorder.take(
      .mode(ModeRecord(loop: Self.main, index: 0, name: "kCFRunLoopDefaultMode", attachedNs: Self.start)))
    let spans = [Nanoseconds](repeating: .millisecond, count: 100) + [60 * .millisecond, 812 * .millisecond]
    recorder.take(
      .profile(
        ProfileDelta(
          loop: Self.main, mode: 0, atNs: Self.start + 9 * .second, entries: 1, iterations: 102, starved: 0,
          metrics: [
            Self.growth(.service, spans), Self.growth(.span, spans), Self.growth(.waiting, [2 * .second, 3 * .second]),
          ],
          stretches: [
            ModeStretch(
              startNs: Self.start, endNs: Self.start + 9 * .second, busy: spans.reduce(0, +), waiting: 5 * .second,
              iterations: 102, longest: 812 * .millisecond)
          ])))
    Self.add(1, duration: 812 * .millisecond, at: .second, to: recorder)
    Self.add(2, duration: 60 * .millisecond, at: 3 * .second, to: recorder)
    for number in 0..<stalls {
      Self.add(UInt64(number + 3), duration: 100 * .millisecond, at: 4 * .second, to: recorder)
    }
    if sampled { Self.addSamples(stalls: stalls + 2, to: recorder) }
    if timers > 0 { Self.addTimers(timers, to: recorder) }
    recorder.take(
      .health(
        HealthRecord(
          atNs: Self.start + 9 * .second, observerTotal: 400 * .microsecond, monitorCPU: 7 * .millisecond, wakeups: 12))
    )
    recorder.close(endedNs: Self.start + 10 * .second)
  }

  private static func addSamples(stalls: Int, to recorder: StoreRecorder) {
    let owner = LockOwner(threadID: 4_712, name: "writer", frames: [0x7000, 0x7100])
    for number in 1...stalls {
      let started = start + (number == 1 ? 1 : number == 2 ? 3 : 4) * .second
      let samples = (0..<3).map { index in
        StackSample(
          atNs: started + (50 + 3 * Nanoseconds(index)) * .millisecond, weight: 3 * .millisecond, activity: .blocked,
          frames: [0x5000, 0x5100 + UInt64(number % 2), 0x5200],
          blockedOn: BlockedOn(systemCall: "futex", target: nil, owner: owner))
      }
      let cause = StallCause(running: 0, blocked: 9 * .millisecond, starved: .millisecond)
      recorder.take(
        .samples(StallSamples(stall: StallID(rawValue: UInt64(number)), samples: samples, cause: cause)))
    }
    recorder.take(
      .profiledStack(ProfiledStack(loop: main, frames: [0x5000, 0x5200], count: 30, weight: 300 * .millisecond)))
  }

  private static func addTimers(_ count: Int, to recorder: StoreRecorder) {
    for number in 1...count {
      let id = TimerID(rawValue: UInt64(number))
      recorder.take(
        .timer(
          TimerRecord(
            id: id, loop: main, name: "timer \(number)", kind: .runLoop, origin: 0x5000 + UInt64(number),
            interval: 20 * .millisecond, tolerance: 0, modes: ["kCFRunLoopDefaultMode"], madeNs: start)))
      var delta = TimerDelta(timer: id, atNs: start + 9 * .second)
      delta.fired = 460
      delta.lateness = growth(.span, [Nanoseconds](repeating: 60 * .microsecond, count: 459) + [800 * .millisecond])
      delta.worst = (800 * .millisecond, start + 1_812 * .millisecond)
      if number == 1 { (delta.dropped, delta.droppedByMode) = (40, [(0, 5)]) }
      recorder.take(.timerDelta(delta))
    }
    recorder.take(
      .stallTimer(
        StallTimer(
          stall: StallID(rawValue: 1), timer: TimerID(rawValue: 1), late: 1, dropped: 35,
          worstLateness: 800 * .millisecond)))
    for number in 0..<100 as Range<UInt64> {
      let isHeld = (11...18).contains(number)
      recorder.take(
        .driftTick(
          DriftTick(
            loop: main, number: number, dueNs: start + number * 100 * .millisecond,
            runLoopLateness: number == 10 ? 812 * .millisecond : isHeld ? nil : 80 * .microsecond,
            gcdLateness: 70 * .microsecond, inOtherModes: 0)))
    }
  }

  private static func add(_ number: UInt64, duration: Nanoseconds, at offset: Nanoseconds, to recorder: StoreRecorder) {
    let started = start + offset
    recorder.take(
      .stallBegan(
        StallBegan(
          id: StallID(rawValue: number), loop: main, mode: 0, phase: .service, depth: 1, kind: .stall,
          startedNs: started, detectedNs: started + 50 * .millisecond)))
    recorder.take(
      .stallEnded(StallEnded(id: StallID(rawValue: number), state: .ended, duration: duration, phase: .service)))
  }

  private static func growth(_ metric: Metric, _ durations: [Nanoseconds]) -> MetricDelta {
    let buckets = Dictionary(durations.map { (HistogramLayout.index(of: $0), UInt32(1)) }, uniquingKeysWith: +)
    return MetricDelta(
      metric: metric, count: UInt64(durations.count), total: durations.reduce(0, +), maximum: durations.max() ?? 0,
      buckets: buckets.sorted { $0.key < $1.key }.map { (index: $0.key, count: $0.value) })
  }
}
