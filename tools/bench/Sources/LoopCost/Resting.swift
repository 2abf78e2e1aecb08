import CoreFoundation
import Foundation
import Synchronization

/// Loops that wait, or hold for 2 ms every 20 ms, or turn in all their modes, for some seconds; adds what that cost the
/// process.
func rest(_ options: Options, under watch: Watch, into facts: inout [String: Any]) {
  let ready = DispatchSemaphore(value: 0)
  let isOver = IsOver()
  for place in 1..<max(options.threads, 1) {
    let thread = Thread {
      let loop = TurningLoop(modes: options.modes, iteration: .idle)
      watch.watchCurrentLoop(name: "loop-\(place)", modes: loop.modes)
      ready.signal()
      run(loop, options.iteration, until: isOver)
    }
    thread.start()
  }
  for _ in 1..<max(options.threads, 1) { ready.wait() }
  let loop = TurningLoop(modes: options.modes, iteration: .idle)
  watch.watchCurrentLoop(name: "main", modes: loop.modes)
  if options.iteration == .busy {
    let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 0.02, 0.02, 0, 0) { _ in
      let end = read(clock: CLOCK_MONOTONIC) + 2_000_000
      while read(clock: CLOCK_MONOTONIC) < end {}
    }
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, .defaultMode)
  }
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

/// Written by one thread, and read by another when that has ended.
private final class Numbers: @unchecked Sendable {
  var runs = 0
  var written = 0
  var cpu: UInt64 = 0
}
