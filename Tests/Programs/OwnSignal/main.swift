// A program that uses the signals by which threads are asked itself, for tests of who keeps them.
//
//   own-signal urg|prof default          does not use it
//   own-signal urg|prof handler-before   has a handler of its own before threads are sampled
//   own-signal urg|prof ignored-before   ignores the signal
//   own-signal urg|prof handler-after    installs its handler while threads are sampled
//   own-signal urg|prof default-after    sets it to its default while threads are sampled
//   own-signal prof itimer-before        has an interval timer that sends it
//   own-signal prof itimer-after         starts its timer while threads are sampled, with a handler as such timers need
//   own-signal urg no-timers             may have no timers while threads are sampled at first, and then may
//
// The sampled thread blocks SIGURG where it is to be asked by SIGPROF. Prints one line: how many samples were taken by
// interruption before and after the change, what stood in the way, whether the program's own handler ran for its timer, and
// for a signal of its own, and the disposition in the end.

import CStallwatch
import Foundation
import StallwatchProbe
import Synchronization

#if os(Linux)
  private let hits = Atomic<Int>(0)
  private let isDone = Atomic<Bool>(false)
  private let spinner = Atomic<UInt64>(0)

  private func ownHandler(_ signal: Int32) { hits.add(1, ordering: .relaxed) }

  guard CommandLine.arguments.count == 3,
    let sampler = makeThreadSampler(SamplerConfiguration(patience: 60_000_000_000))
  else {
    FileHandle.standardError.write(Data("usage: own-signal urg|prof default|handler-before|…\n".utf8))
    exit(2)
  }
  private let isProf = CommandLine.arguments[1] == "prof"
  private let number = isProf ? SIGPROF : SIGURG
  private let way = CommandLine.arguments[2]

  private func install(_ handler: sighandler_t?) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    sigaction(number, &action, nil)
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
    sigaction(number, nil, &action)
    return withUnsafeBytes(of: &action) { $0.load(as: UInt.self) }
  }

  private func ownNumber() -> UInt {
    UInt(bitPattern: unsafeBitCast(ownHandler as @convention(c) (Int32) -> Void, to: Int.self))
  }

  private func sample() -> Int {
    let threadID = spinner.load(ordering: .acquiring)
    return (0..<10).count { _ in sampler.capture(threadID: threadID)?.method == .interrupted }
  }

  /// RLIMIT_SIGPENDING, which Glibc does not show to Swift (asm-generic/resource.h): signals that may be pending for this user,
  /// timers among them.
  private let signalsPending = __rlimit_resource_t(11)

  private func limitTimers(to count: rlim_t?) {
    var limit = rlimit()
    getrlimit(signalsPending, &limit)
    limit.rlim_cur = count ?? limit.rlim_max
    setrlimit(signalsPending, &limit)
  }

  private let thread = Thread {
    if isProf {
      var mask = sigset_t()
      sigemptyset(&mask)
      sigaddset(&mask, SIGURG)
      pthread_sigmask(SIG_BLOCK, &mask, nil)
    }
    spinner.store(stallwatch_thread_id(), ordering: .releasing)
    while !isDone.load(ordering: .relaxed) {}
  }
  thread.start()
  while spinner.load(ordering: .acquiring) == 0 { usleep(1_000) }

  switch way {
  case "handler-before": install(ownHandler)
  case "ignored-before": install(SIG_IGN)
  case "itimer-before":
    install(ownHandler)
    startTimer()
  case "no-timers": limitTimers(to: 0)
  default: break
  }
  private let first = sample()
  switch way {
  case "handler-after": install(ownHandler)
  case "default-after": install(SIG_DFL)
  case "itimer-after":
    install(ownHandler)
    startTimer()
  case "no-timers":
    limitTimers(to: nil)
    // The longest that the kernel is not asked again.
    let end = ProcessInfo.processInfo.systemUptime + 30
    while sample() == 0, ProcessInfo.processInfo.systemUptime < end { usleep(10_000) }
  default: break
  }
  private let second = sample()
  // A timer on CPU time comes when the program has had some.
  private let giveUp = ProcessInfo.processInfo.systemUptime + (way.hasPrefix("itimer") ? 30 : 0.05)
  while hits.load(ordering: .relaxed) == 0, ProcessInfo.processInfo.systemUptime < giveUp { usleep(5_000) }
  private let timed = hits.load(ordering: .relaxed)
  if disposition() > 1 && disposition() == ownNumber() { raise(number) }
  sampler.stop()
  private let obstacle = sampler.health.signalObstacle.map { "\($0)" } ?? "none"
  private let kept =
    switch disposition() {
    case 0: "default"
    case 1: "ignored"
    case ownNumber(): "own"
    default: "other"
    }
  private let raised = hits.load(ordering: .relaxed) > timed
  print("first \(first) second \(second) obstacle \(obstacle) timer \(timed > 0) raise \(raised) disposition \(kept)")
  isDone.store(true, ordering: .relaxed)
#endif
