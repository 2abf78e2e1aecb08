// A process that writes a store, for the tests: it is killed while it does, or runs beside others of its kind.
//
// Arguments: the store, and the number of stalls to write (0: until killed; -1: none until killed). It prints a line
// when its session is there.

import StallwatchCore
import StallwatchStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

// The tests' threads have signals blocked, and a child inherits that.
var none = sigset_t()
sigemptyset(&none)
pthread_sigmask(SIG_SETMASK, &none, nil)

let path = CommandLine.arguments[1]
let stalls = Int64(CommandLine.arguments[2])!
let start = 1_000 * Nanoseconds.second
let session = SessionRecord(
  process: .current(), command: ["store-writer"], startedAt: 1, startedNs: start, threshold: 50 * .millisecond,
  origin: "embedded", platform: "test")
// Nobody waits for this program: on a busy machine it may take longer than a program's end should.
var configuration = StoreRecorder.Configuration()
configuration.openTimeout = 60 * .second
configuration.closeTimeout = 60 * .second
let recorder = try StoreRecorder(path: path, session: session, configuration: configuration)
print("ready")
fflush(nil)

let loop = LoopID(rawValue: 1)
recorder.take(.loop(LoopRecord(id: loop, name: "main", threadID: 1, isMain: true, startedNs: start)))
recorder.take(.mode(ModeRecord(loop: loop, index: 0, name: "default", attachedNs: start)))
while stalls < 0 { pause() }
var number: UInt64 = 0
while stalls == 0 || number < stalls {
  number += 1
  let moment = start + number * 100 * .millisecond
  let growth = MetricDelta(
    metric: .span, count: 1, total: 60 * .millisecond, maximum: 60 * .millisecond,
    buckets: [(index: HistogramLayout.index(of: 60 * .millisecond), count: 1)])
  recorder.take(
    .stallBegan(
      StallBegan(
        id: StallID(rawValue: number), loop: loop, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: moment,
        detectedNs: moment + 50 * .millisecond)))
  recorder.take(
    .health(HealthRecord(atNs: moment + 55 * .millisecond, observerTotal: 0, monitorCPU: 0, wakeups: number)))
  let samples = (0..<8).map { place in
    StackSample(
      atNs: moment + (50 + place) * .millisecond, weight: 1, activity: .running, frames: [0x1000 + number % 64, place])
  }
  recorder.take(
    .samples(
      StallSamples(
        stall: StallID(rawValue: number), samples: samples, cause: StallCause(running: 8, blocked: 0, starved: 0))))
  usleep(500)
  recorder.take(
    .stallEnded(StallEnded(id: StallID(rawValue: number), state: .ended, duration: 60 * .millisecond, phase: .service)))
  recorder.take(
    .profile(
      ProfileDelta(
        loop: loop, mode: 0, atNs: moment + 60 * .millisecond, entries: 0, iterations: 1, starved: 0, metrics: [growth])
    ))
}
recorder.close(endedNs: start + (number + 1) * 100 * .millisecond)
