// hooked-lanes STORE
//
// A program that embeds the monitor and links StallwatchHooks, which show the items of its queue and of its actor. It asks for
// pings, too, which nothing needs. The queue is held once for 300 ms while an item waits.

import Dispatch
import Foundation
import Stallwatch
import StallwatchLanes

@inline(never) @_optimize(none) func resizeSlowly() { usleep(300_000) }

actor Ledger { func sum() {} }

var configuration = Configuration(store: CommandLine.arguments[1])
configuration.watchesEveryLoop = true
let monitor = try Monitor.start(configuration)
let images = DispatchQueue(label: "images")
let ledger = Ledger()
guard monitor.watch(images) == nil, monitor.watch(ledger, name: "ledger") == nil else { exit(3) }
images.async {}
images.sync {}
images.async { resizeSlowly() }
usleep(20_000)
let over = DispatchSemaphore(value: 0)
images.async { over.signal() }
over.wait()
await ledger.sum()
monitor.stop()
print("done")
