// A program that has its lanes watched by pings: a queue and an actor, each held once for 1.3 s, and a quiet queue. However
// far pings have thinned out, one waits for 300 ms of that.

import Dispatch
import Foundation
import Stallwatch
import StallwatchLanes

@inline(never) @_optimize(none) func resizeSlowly() { usleep(1_300_000) }

actor Ledger {
  func sumSlowly() { usleep(1_300_001) }
}

let monitor = try Monitor.start(Configuration(store: CommandLine.arguments[1]))
let images = DispatchQueue(label: "images")
let quiet = DispatchQueue(label: "quiet")
let ledger = Ledger()
guard monitor.watch(images) == nil, monitor.watch(quiet) == nil, monitor.watch(ledger, name: "ledger") == nil else {
  exit(3)
}
// Until each lane has answered pings, and shown which thread serves it.
usleep(300_000)
images.sync {}
images.async { resizeSlowly() }
images.sync {}
await ledger.sumSlowly()
usleep(200_000)
monitor.stop()
print("done")
exit(monitor.watch(images) == nil ? 4 : 5)
