// Holds the counter clock against the monotonic clock: clock-check SECONDS. Prints one JSON object.

import CStallwatch
import Foundation
import StallwatchProbe

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 10
guard let clock = CounterClock() else { exit(3) }
var keeper = CounterKeeper(clock)

/// A watchdog looks more often while loops turn.
let pause: UInt64 = 250_000_000
let began = Probe.now()
var refreshed: UInt64 = 0
var errors: [UInt64] = []
var readings = 0
var byClock = 0
while Double(Probe.now() - began) < seconds * 1e9 {
  if Probe.now() - refreshed >= pause {
    keeper.refresh(at: Probe.now())
    refreshed = Probe.now()
  }
  let usesCounter = clock.usesCounter
  let before = Probe.now()
  let converted = clock.now()
  let after = Probe.now()
  readings += 1
  if !usesCounter { byClock += 1 }
  // Readings that lost the processor in between say nothing.
  if usesCounter, after - before < 1_000 {
    // The true moment lies anywhere between the two: what is beyond either is certainly error.
    errors.append(converted < before ? before - converted : converted > after ? converted - after : 0)
  }
  usleep(200)
}
errors.sort()
let cost = { (body: () -> UInt64) -> Double in
  let began = Probe.now()
  var sum: UInt64 = 0
  for _ in 0..<5_000_000 { sum &+= body() }
  return Double(Probe.now() - began + (sum == 1 ? 1 : 0)) / 5_000_000
}
keeper.refresh(at: Probe.now())
let facts: [String: Any] = [
  "seconds": seconds, "readings": readings, "by_clock": byClock, "compared": errors.count,
  "p99_ns": errors.isEmpty ? 0 : errors[errors.count * 99 / 100], "max_ns": errors.last ?? 0,
  "clock_read_ns": cost { Probe.now() }, "counter_read_ns": cost { clock.now() },
]
print(String(decoding: try JSONSerialization.data(withJSONObject: facts, options: [.sortedKeys]), as: UTF8.self))
