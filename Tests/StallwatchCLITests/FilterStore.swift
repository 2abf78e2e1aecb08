import StallwatchCore
import StallwatchStore
import TestPrograms

/// A store of two sessions, each of a main loop in two modes and a worker's loop, with stalls that differ in all that
/// filters tell apart. The first session begins at 2026-05-01 10:20:30 UTC, the second an hour later; each takes 100 s.
///
/// | stall | session | loop | mode | begins after | lasts | mostly | annotation |
/// |---|---|---|---|---|---|---|---|
/// | 1 | 1 | main | default | 10 s | 60 ms | blocked | screen = Feed |
/// | 2 | 1 | main | modal | 50 s | 300 ms | running | screen = Settings |
/// | 3 | 1 | worker | default | 90 s | 2 s | running | |
/// | 4, 5, 6 | 2 | the same again | | | | | |
///
/// The first session is of release 4.1 in production, with a tag `region` = `eu`; the second says nothing, but that its
/// region is `us`, and its program has a build-id.
struct FilterStore {
  let directory: TestDirectory
  var path: String { directory.file("filter.stallwatch") }

  static let defaultMode = "kCFRunLoopDefaultMode"
  private static let labels = SessionLabels(
    release: "4.1", environment: "production", tags: ["region": "eu", "tier": "free"])
  private static let start: Nanoseconds = 1_000 * .second

  init() throws {
    directory = try TestDirectory()
    for hour in 0..<2 as Range<UInt64> {
      var session = SessionRecord(
        process: .current(), command: ["app"], startedAt: (1_777_630_830 + hour * 3_600) * .second,
        startedNs: Self.start + hour * 3_600 * .second, threshold: 50 * .millisecond, origin: "embedded",
        platform: "linux x86_64")
      session.process.host = "host"
      session.labels = hour == 0 ? Self.labels : SessionLabels(tags: ["region": "us"])
      session.programBuildID = "0123456789abcdef0123"
      var configuration = StoreRecorder.Configuration()
      (configuration.openTimeout, configuration.closeTimeout) = (60 * .second, 60 * .second)
      let recorder = try StoreRecorder(path: path, session: session, configuration: configuration)
      Self.write(from: session.startedNs, to: recorder)
      recorder.close(endedNs: session.startedNs + 100 * .second)
    }
  }

  private static func write(from start: Nanoseconds, to recorder: StoreRecorder) {
    let (main, worker) = (LoopID(rawValue: 1), LoopID(rawValue: 2))
    recorder.take(.loop(LoopRecord(id: main, name: "main", threadID: 11, isMain: true, startedNs: start)))
    recorder.take(.loop(LoopRecord(id: worker, name: "worker", threadID: 12, isMain: false, startedNs: start)))
    recorder.take(.mode(ModeRecord(loop: main, index: 0, name: defaultMode, attachedNs: start)))
    recorder.take(.mode(ModeRecord(loop: main, index: 1, name: "modal", attachedNs: start)))
    recorder.take(.mode(ModeRecord(loop: worker, index: 0, name: defaultMode, attachedNs: start)))
    // Busy for half of every second, in each mode.
    for second in 0..<100 as Range<UInt64> {
      let (from, to) = (start + second * .second, start + (second + 1) * .second)
      for (loop, mode) in [(main, 0), (main, 1), (worker, 0)] {
        recorder.take(
          .profile(
            ProfileDelta(
              loop: loop, mode: mode, atNs: to, entries: 0, iterations: 10, starved: 0, metrics: [],
              stretches: [
                ModeStretch(
                  startNs: from, endNs: to, busy: 500 * .millisecond, waiting: 500 * .millisecond, iterations: 10)
              ])))
      }
    }
    stall(1, main, 0, start + 10 * .second, 60 * .millisecond, .blocked, "Feed", 0x5000, recorder)
    stall(2, main, 1, start + 50 * .second, 300 * .millisecond, .running, "Settings", 0x6000, recorder)
    stall(3, worker, 0, start + 90 * .second, 2 * .second, .running, nil, 0x7000, recorder)
    recorder.take(
      .timer(
        TimerRecord(
          id: TimerID(rawValue: 1), loop: main, name: "poll", kind: .runLoop, origin: 0x5001, interval: .second,
          tolerance: 0, modes: [defaultMode], madeNs: start)))
    recorder.take(
      .timer(
        TimerRecord(
          id: TimerID(rawValue: 2), loop: worker, name: "flush", kind: .runLoop, origin: 0x5002, interval: .second,
          tolerance: 0, modes: [defaultMode], madeNs: start)))
  }

  private static func stall(
    _ number: UInt64, _ loop: LoopID, _ mode: Int, _ started: Nanoseconds, _ duration: Nanoseconds,
    _ activity: ThreadActivity, _ screen: String?, _ frame: UInt64, _ recorder: StoreRecorder
  ) {
    let id = StallID(rawValue: number)
    recorder.take(
      .stallBegan(
        StallBegan(
          id: id, loop: loop, mode: mode, phase: .service, depth: 1, kind: .stall, startedNs: started,
          detectedNs: started + 50 * .millisecond, annotations: screen.map { ["screen": $0] } ?? [:])))
    let sample = StackSample(
      atNs: started + 51 * .millisecond, weight: 9 * .millisecond, activity: activity, frames: [frame, frame + 0x100])
    let cause = StallCause(
      running: activity == .running ? 9 * .millisecond : 0, blocked: activity == .blocked ? 9 * .millisecond : 0,
      starved: .millisecond)
    recorder.take(.samples(StallSamples(stall: id, samples: [sample], cause: cause)))
    recorder.take(.stallEnded(StallEnded(id: id, state: .ended, duration: duration, phase: .service)))
  }
}
