import CoreFoundation
import Foundation
import Stallwatch

// usage: growth-maker STORE SECONDS TIMERS THREADS ANNOTATIONS
//
// Embeds the monitor with hooks and drift, and within the given time makes and ends that many short timers and threads with
// run loops, and that many annotations. Prints a line of JSON every second: how many there were so far.

let numbers = CommandLine.arguments.dropFirst(2).compactMap { Int($0) }
guard CommandLine.arguments.count == 6, numbers.count == 4, numbers.allSatisfy({ (1...10_000_000).contains($0) }) else {
  FileHandle.standardError.write(Data("usage: growth-maker STORE SECONDS TIMERS THREADS ANNOTATIONS\n".utf8))
  exit(2)
}
var configuration = Configuration(store: CommandLine.arguments[1])
configuration.watchesEveryLoop = true
configuration.driftInterval = .milliseconds(100)
let monitor = try Monitor.start(configuration)
let maker = Maker(seconds: numbers[0], timers: numbers[1], threads: numbers[2], annotations: numbers[3], monitor)
let beat = Timer(timeInterval: 0.01, repeats: true) { _ in
  maker.catchUp()
  // A timer's fire does not end a run.
  if maker.isDone { CFRunLoopStop(CFRunLoopGetMain()) }
}
RunLoop.main.add(beat, forMode: .default)
let report = Timer(timeInterval: 1, repeats: true) { _ in maker.report() }
RunLoop.main.add(report, forMode: .default)
while !maker.isDone { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
maker.report()
monitor.stop()
