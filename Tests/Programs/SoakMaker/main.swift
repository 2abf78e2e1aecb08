import CoreFoundation
import Foundation
import Stallwatch

// usage: soak-maker STORE SECONDS SEED BYTES
//
// Embeds the monitor with its defaults, but for a store's path and a limit of its size. Runs 100 threads with run loops,
// makes and ends 1,000 named timers a minute, and holds a loop 50 times a minute, as the seed has it. Prints a line of
// JSON for each hold, and at the end one with the counts of timers.

let numbers = CommandLine.arguments.dropFirst(2).compactMap { UInt64($0) }
guard CommandLine.arguments.count == 5, numbers.count == 3, (10...1_000_000).contains(numbers[0]),
  (1_000_000...1_000_000_000).contains(numbers[2])
else {
  FileHandle.standardError.write(Data("usage: soak-maker STORE SECONDS SEED BYTES\n".utf8))
  exit(2)
}
var configuration = Configuration(store: CommandLine.arguments[1])
configuration.retention.maximumSize = Int(numbers[2])
let monitor = try Monitor.start(configuration)
let plan = SoakPlan(loops: 100, holdsAMinute: 50, timersAMinute: 1_000, seed: numbers[1])
let loops = (0..<plan.loops).map { SoakLoop($0, monitor) }
let soak = Soak(plan, seconds: Int(numbers[0]), loops: loops)
// Often enough that 17 timers a second come one by one, or nearly so.
let beat = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 0.05, 0, 0) { _ in
  soak.catchUp()
  if soak.isOver { CFRunLoopStop(CFRunLoopGetMain()) }
}
CFRunLoopAddTimer(CFRunLoopGetMain(), beat, kCFRunLoopDefaultMode)
CFRunLoopRun()
CFRunLoopTimerInvalidate(beat)
soak.report()
let trouble = monitor.trouble.map { "\"\($0.replacing("\"", with: "'"))\"" } ?? "null"
print(
  "{\"timers_made\":\(SoakLoop.timersMade),\"timers_ended\":\(SoakLoop.timersEnded),\"trouble\":\(trouble)}")
monitor.stop()
