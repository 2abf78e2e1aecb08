// A program that uses SIGPROF itself, for tests of who keeps it.
//
//   own-sigprof default           does not use it
//   own-sigprof handler-before    has a handler of its own before threads are sampled
//   own-sigprof ignored-before    ignores the signal
//   own-sigprof itimer-before     has an interval timer that sends it
//   own-sigprof handler-after     installs its handler while threads are sampled
//   own-sigprof itimer-after      starts its timer while threads are sampled, with a handler as such timers need
//
// Prints one line: how many samples were taken by interruption before and after the change, what stood in the way, how often the
// program's own handler ran for signals of its own, and whether the disposition in the end is the program's.

import CStallwatch
import Foundation
import StallwatchProbe
import Synchronization

#if os(Linux)
  private let hits = Atomic<Int>(0)
  private let isDone = Atomic<Bool>(false)
  private let spinner = Atomic<UInt64>(0)

  private func ownHandler(_ signal: Int32) { hits.add(1, ordering: .relaxed) }

  private func install(_ handler: sighandler_t?) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    sigaction(SIGPROF, &action, nil)
  }

  private func startTimer() {
    // 1 ms of the whole program's CPU time; the kernel's tick makes it 4.
    var timer = itimerval(
      it_interval: timeval(tv_sec: 0, tv_usec: 1_000), it_value: timeval(tv_sec: 0, tv_usec: 1_000))
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  }

  /// The disposition as a number: 0 default, 1 ignored, else a handler.
  private func disposition() -> UInt {
    var action = sigaction()
    sigaction(SIGPROF, nil, &action)
    return withUnsafeBytes(of: &action) { $0.load(as: UInt.self) }
  }

  private func ownNumber() -> UInt {
    UInt(bitPattern: unsafeBitCast(ownHandler as @convention(c) (Int32) -> Void, to: Int.self))
  }

  private func sample(_ sampler: any ThreadSampler) -> Int {
    let threadID = spinner.load(ordering: .acquiring)
    return (0..<10).count { _ in sampler.capture(threadID: threadID)?.method == .interrupted }
  }

  let arguments = CommandLine.arguments
  guard arguments.count == 2, let sampler = makeThreadSampler(SamplerConfiguration(patience: 60_000_000_000)) else {
    FileHandle.standardError.write(Data("usage: own-sigprof default|handler-before|…\n".utf8))
    exit(2)
  }
  let thread = Thread {
    spinner.store(stallwatch_thread_id(), ordering: .releasing)
    while !isDone.load(ordering: .relaxed) {}
  }
  thread.start()
  while spinner.load(ordering: .acquiring) == 0 { usleep(1_000) }

  switch arguments[1] {
  case "handler-before": install(ownHandler)
  case "ignored-before": install(SIG_IGN)
  case "itimer-before":
    install(ownHandler)
    startTimer()
  default: break
  }
  let first = sample(sampler)
  switch arguments[1] {
  case "handler-after": install(ownHandler)
  case "itimer-after":
    install(ownHandler)
    startTimer()
  default: break
  }
  let second = sample(sampler)
  usleep(50_000)
  // On a busy machine the program may not have computed for long enough yet.
  if arguments[1].hasPrefix("itimer") {
    for _ in 0..<6_000 where hits.load(ordering: .relaxed) == 0 { usleep(10_000) }
  }
  let timed = hits.load(ordering: .relaxed)
  if disposition() > 1 && disposition() == ownNumber() { raise(SIGPROF) }
  sampler.stop()
  let obstacle = sampler.health.signalObstacle.map { "\($0)" } ?? "none"
  let kept =
    switch disposition() {
    case 0: "default"
    case 1: "ignored"
    case ownNumber(): "own"
    default: "other"
    }
  let raised = hits.load(ordering: .relaxed) > timed
  print("first \(first) second \(second) obstacle \(obstacle) timer \(timed > 0) raise \(raised) disposition \(kept)")
  isDone.store(true, ordering: .relaxed)
#endif
