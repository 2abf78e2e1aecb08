// A program that embeds the monitor and links StallwatchHooks.
//
//   hooked-loop STORE [SECOND]
//
// With a second store a second monitor watches the main loop beside the first, and alone when that has stopped; both watch
// a thread's loop that ends.
//
// A thread of which nobody tells the monitor turns its loop. The main loop holds itself for 120 ms in a mode that is
// made after the monitor has started, nested in a timer, and again in an observer that is added last of all.

import CoreFoundation
import Foundation
import Stallwatch

var configuration = Configuration(store: CommandLine.arguments[1])
configuration.watchesEveryLoop = true
let monitor = try Monitor.start(configuration)
let second = try CommandLine.arguments.dropFirst(2).first.map { try Monitor.start(Configuration(store: $0)) }

let worker = Thread {
  second?.watchCurrentLoop(name: "worker")
  // Foundation's own setter does nothing on Linux while the thread's starting is not over.
  try? "worker".write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
  let timer = Timer(timeInterval: 0.005, repeats: true) { _ in }
  RunLoop.current.add(timer, forMode: .default)
  RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.3))
}
nonisolated(unsafe) var heldInTimer = false
nonisolated(unsafe) var heldInObserver = false
worker.start()

let outer = Timer(timeInterval: 0.05, repeats: false) { _ in
  let late = CFStringCreateWithCString(nil, "made late", CFStringBuiltInEncodings.UTF8.rawValue)!
  let inner = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 0.05, 0, 0, 0) { _ in
    usleep(120_000)
    heldInTimer = true
  }
  CFRunLoopAddTimer(CFRunLoopGetMain(), inner, late)
  while !heldInTimer { CFRunLoopRunInMode(late, 0.3, false) }
}
RunLoop.main.add(outer, forMode: .default)
repeat { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.5)) } while !heldInTimer || !worker.isFinished

let last = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.beforeWaiting.rawValue, false, CFIndex.max) {
  _, _ in
  usleep(120_000)
  heldInObserver = true
}
CFRunLoopAddObserver(CFRunLoopGetMain(), last, kCFRunLoopDefaultMode)
let tick = Timer(timeInterval: 0.01, repeats: true) { _ in }
RunLoop.main.add(tick, forMode: .default)
repeat { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.3)) } while !heldInObserver

monitor.stop()

if let second {
  CFRunLoopRemoveObserver(CFRunLoopGetMain(), last, kCFRunLoopDefaultMode)
  let alone = Timer(timeInterval: 0.01, repeats: false) { _ in usleep(130_000) }
  RunLoop.main.add(alone, forMode: .default)
  RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.3))
  second.stop()
}
