// nio-holds [--seed N] [--stalls N] [--threshold 50ms] [--truth FILE]
//
// Holds the event loops of SwiftNIO by a seeded plan, each from a thread of its own and several at once, and writes what it
// did as `stallwatch-workload --lanes` does, so that tools/judge/compare-lanes can judge a recording.

import Foundation
import NIOPosix

let options = Options(CommandLine.arguments.dropFirst())
let truth = Truth()
let group = MultiThreadedEventLoopGroup(numberOfThreads: 3)
let plan = HoldPlan(options)
startMetronome(truth)
let drivers = try group.makeIterator().enumerated().map { place, loop in
  try LoopDriver(loop, steps: plan.steps.filter { $0.loop == place }, truth)
}
let done = DispatchSemaphore(value: 0)
for driver in drivers {
  Thread.detachNewThread {
    driver.run()
    done.signal()
  }
}
for _ in drivers { done.wait() }
try group.syncShutdownGracefully()
print("nio-holds: \(plan.steps.count) holds of \(drivers.count) event loops")
try truth.write(to: options.truth)
