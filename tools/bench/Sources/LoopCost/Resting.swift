import CoreFoundation
import Foundation
import Synchronization

/// Loops that wait, of which one or all may have callouts now and then, for some seconds; adds what that cost the
/// process.
func rest(_ options: Options, under watch: Watch, into facts: inout [String: Any]) {
  let ready = DispatchSemaphore(value: 0)
  let isOver = IsOver()
  for place in 1..<max(options.threads, 1) {
    let thread = Thread {
      let loop = TurningLoop(modes: options.modes, iteration: .idle)
      watch.watchCurrentLoop(name: "loop-\(place)", modes: loop.modes)
      if options.iteration == .uneven { makeUneven(seed: UInt64(place)) }
      ready.signal()
      run(loop, options.iteration, until: isOver)
    }
    thread.start()
  }
  for _ in 1..<max(options.threads, 1) { ready.wait() }
  let loop = TurningLoop(modes: options.modes, iteration: .idle)
  watch.watchCurrentLoop(name: "main", modes: loop.modes)
  if options.iteration == .busy { addCallouts(every: 0.02) { 2_000_000 } }
  if options.iteration == .uneven { makeUneven(seed: 0) }
  // What a beginning costs is not what idling costs: the first second is left out.
  let before = Numbers()
  let thread = Thread {
    let own = ProcessFacts.ownThread
    Thread.sleep(forTimeInterval: 1.5)
    before.runs = ProcessFacts.runs(excluding: [own])
    before.written = ProcessFacts.written
    before.cpu = read(clock: CLOCK_PROCESS_CPUTIME_ID)
    Thread.sleep(forTimeInterval: options.seconds)
    before.cpu = read(clock: CLOCK_PROCESS_CPUTIME_ID) - before.cpu
    before.runs = ProcessFacts.runs(excluding: [own]) - before.runs
    before.written = ProcessFacts.written - before.written
    isOver.value.store(true, ordering: .relaxed)
    CFRunLoopStop(CFRunLoopGetMain())
    CFRunLoopWakeUp(CFRunLoopGetMain())
  }
  thread.start()
  run(loop, options.iteration, until: isOver)
  facts["seconds"] = options.seconds
  facts["wakeups_per_s"] = Double(before.runs) / options.seconds
  facts["written_per_s"] = Double(before.written) / options.seconds
  facts["cpu_share"] = Double(before.cpu) / 1e9 / options.seconds
}

/// Runs the calling thread's loop until it is stopped; one that turns, in each of its modes by turns, with a callout that
/// does nothing every 50 ms.
private func run(_ loop: TurningLoop, _ iteration: Iteration, until isOver: IsOver) {
  guard iteration == .turning else { return CFRunLoopRun() }
  for mode in loop.modes {
    let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 0.05, 0, 0) { _ in }
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, mode)
  }
  while !isOver.value.load(ordering: .relaxed) {
    for mode in loop.modes { CFRunLoopRunInMode(mode, 0.2, false) }
  }
}

/// Whether the time is over.
private final class IsOver: Sendable {
  let value = Atomic<Bool>(false)
}

/// Callouts of 1 µs to 2 ms on the calling thread's loop, as many of each order of magnitude as of another, so that it
/// has durations of many lengths.
private func makeUneven(seed: UInt64) {
  var number = seed
  addCallouts(every: 0.05) {
    number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt64(1_000 * exp2(Double(number >> 33) / Double(1 << 31 as UInt64) * 11))
  }
}

private func addCallouts(every interval: TimeInterval, _ length: @escaping () -> UInt64) {
  let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + interval, interval, 0, 0) { _ in
    let end = read(clock: CLOCK_MONOTONIC) + length()
    while read(clock: CLOCK_MONOTONIC) < end {}
  }
  CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, .defaultMode)
}

/// Written by one thread, and read by another when that has ended.
private final class Numbers: @unchecked Sendable {
  var runs = 0
  var written = 0
  var cpu: UInt64 = 0
}
