import CoreFoundation
import Foundation

/// Loops that wait, of which one or all may have callouts now and then, for some seconds; adds what that cost the
/// process.
func rest(_ options: Options, under watch: Watch, into facts: inout [String: Any]) {
  let ready = DispatchSemaphore(value: 0)
  for place in 1..<max(options.threads, 1) {
    let thread = Thread {
      let loop = TurningLoop(modes: options.modes, iteration: .idle)
      watch.watchCurrentLoop(name: "loop-\(place)", modes: loop.modes)
      if options.iteration == .turning { makeTurn(seed: UInt64(place)) }
      ready.signal()
      CFRunLoopRun()
    }
    thread.start()
  }
  for _ in 1..<max(options.threads, 1) { ready.wait() }
  let loop = TurningLoop(modes: options.modes, iteration: .idle)
  watch.watchCurrentLoop(name: "main", modes: loop.modes)
  if options.iteration == .busy { addCallouts(every: 0.02) { 2_000_000 } }
  if options.iteration == .turning { makeTurn(seed: 0) }
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
    CFRunLoopStop(CFRunLoopGetMain())
    CFRunLoopWakeUp(CFRunLoopGetMain())
  }
  thread.start()
  CFRunLoopRun()
  facts["seconds"] = options.seconds
  facts["wakeups_per_s"] = Double(before.runs) / options.seconds
  facts["written_per_s"] = Double(before.written) / options.seconds
  facts["cpu_share"] = Double(before.cpu) / 1e9 / options.seconds
}

/// Callouts of 1 µs to 2 ms on the calling thread's loop, as many of each order of magnitude as of another, so that it
/// has durations of many lengths.
private func makeTurn(seed: UInt64) {
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
