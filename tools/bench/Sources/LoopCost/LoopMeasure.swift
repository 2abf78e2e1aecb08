import BareObservers
import Foundation
import Synchronization

/// What turning cost one thread.
struct LoopMeasure: Sendable {
  var cpu: UInt64
  var instructions: UInt64?
  var elapsed: UInt64

  /// Measures what `body` costs the calling thread.
  init(_ body: () -> Void) {
    let counter = instructions_open()
    defer { if counter >= 0 { close(counter) } }
    let began = read(clock: CLOCK_MONOTONIC)
    let cpuBefore = read(clock: CLOCK_THREAD_CPUTIME_ID)
    let before = instructions_read(counter)
    body()
    let after = instructions_read(counter)
    cpu = read(clock: CLOCK_THREAD_CPUTIME_ID) - cpuBefore
    elapsed = read(clock: CLOCK_MONOTONIC) - began
    instructions = counter < 0 ? nil : after - before
  }
}

/// A clock, in nanoseconds.
func read(clock: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Turns until the watchdog has seen the loop's modes, what is made at the start is made, and the counter is known.
private func warmUp(_ loop: TurningLoop, _ options: Options) {
  let end = read(clock: CLOCK_MONOTONIC) + 500_000_000
  while read(clock: CLOCK_MONOTONIC) < end { loop.turn(max(2_000, options.modes)) }
}

/// Turns loops of their own on so many threads, the first of them the main thread, and measures each.
/// The main loop's turns are also measured in equal parts, one after the other.
func turnLoops(
  _ options: Options, under watch: Watch
) -> (loops: [LoopMeasure], processCPU: UInt64, parts: [LoopMeasure]) {
  let results = Mutex<[LoopMeasure]>([])
  let ready = DispatchSemaphore(value: 0)
  let begin = DispatchSemaphore(value: 0)
  let done = DispatchSemaphore(value: 0)
  @Sendable func prepare(_ name: String) -> TurningLoop {
    let loop = TurningLoop(modes: options.modes, iteration: options.iteration)
    watch.watchCurrentLoop(name: name, modes: loop.modes)
    warmUp(loop, options)
    return loop
  }
  for place in 1..<max(options.threads, 1) {
    let thread = Thread {
      let loop = prepare("loop-\(place)")
      ready.signal()
      begin.wait()
      let measure = LoopMeasure { loop.turn(options.iterations) }
      results.withLock { $0.append(measure) }
      done.signal()
    }
    thread.start()
  }
  // Another thread in every process, also without a monitor: the C library's locks are cheaper as long as there is none.
  Thread { Thread.sleep(forTimeInterval: 86_400) }.start()
  let loop = prepare("main")
  for _ in 1..<max(options.threads, 1) { ready.wait() }
  let before = read(clock: CLOCK_PROCESS_CPUTIME_ID)
  for _ in 1..<max(options.threads, 1) { begin.signal() }
  var parts: [LoopMeasure] = []
  let measure = LoopMeasure {
    guard options.parts > 1 else { return loop.turn(options.iterations) }
    for _ in 0..<options.parts { parts.append(LoopMeasure { loop.turn(options.iterations / options.parts) }) }
  }
  for _ in 1..<max(options.threads, 1) { done.wait() }
  let cpu = read(clock: CLOCK_PROCESS_CPUTIME_ID) - before
  return (results.withLock { $0 } + [measure], cpu, parts)
}
