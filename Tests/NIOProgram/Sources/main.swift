// nio-program STORE [MONITORED]
//
// Two event loops that the monitor pings. One is held for 1.3 s by a handler, the other never; then they shut down, and the
// program goes on for a while. Without a store it does the same by itself.

import Foundation
import NIOCore
import NIOPosix
import Stallwatch
import StallwatchNIO

@inline(never) @_optimize(none) func answerSlowly() { usleep(1_300_000) }

let monitor = try CommandLine.arguments.dropFirst().first.map { try Monitor.start(Configuration(store: $0)) }
let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
let refusal = monitor?.watch(group, name: "loop")
let (first, second) = (group.next(), group.next())
try first.scheduleTask(in: .milliseconds(300)) { answerSlowly() }.futureResult.wait()
let counts = try second.submit { 1 }.wait()
usleep(200_000)
try group.syncShutdownGracefully()
// Whoever still enqueued to a loop that has shut down would have NIO print an error.
usleep(1_200_000)
monitor?.stop()
print("done \(counts) \(refusal.map { "\($0)" } ?? "watched")")
