import Foundation
import Steps

/// Turns the main loop while another process steps its thread; how many instructions outside the kernel most iterations
/// take, nil where the system lets no process be stepped. Each iteration takes some milliseconds.
///
/// Most, because some take more: those in which a duration falls into a new group of counters, or in which an observer
/// measures itself.
func stepLoop(_ options: Options, under watch: Watch) -> UInt64? {
  let loop = TurningLoop(modes: 1, iteration: options.iteration)
  watch.watchCurrentLoop(name: "main", modes: loop.modes)
  // Until what is made at the start is made, and the counter clock is known.
  let end = read(clock: CLOCK_MONOTONIC) + 1_000_000_000
  while read(clock: CLOCK_MONOTONIC) < end { loop.turn(2_000) }
  let stepped = Stepped(loop: loop, iterations: options.iterations)
  var counts = [UInt64](repeating: 0, count: options.iterations)
  let pieces = steps_between_marks(
    { mark, context in
      let stepped = Unmanaged<Stepped>.fromOpaque(context!).takeUnretainedValue()
      stepped.loop.turn(stepped.iterations, mark: UnsafeMutablePointer(mutating: mark!))
    }, Unmanaged.passUnretained(stepped).toOpaque(), &counts, UInt64(counts.count))
  let times = Dictionary(counts.prefix(max(0, Int(pieces))).map { ($0, 1) }, uniquingKeysWith: +)
  return times.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
}

/// What is stepped.
private final class Stepped {
  let loop: TurningLoop
  let iterations: Int

  init(loop: TurningLoop, iterations: Int) {
    self.loop = loop
    self.iterations = iterations
  }
}
