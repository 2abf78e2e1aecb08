// A program whose loop does a known thing, for tests that count what the monitor adds.
//
//   steady-loop iterate N [STORE]     N blocking iterations; prints the main thread's allocations during them
//   steady-loop idle SECONDS [STORE]  waits; prints how often the monitor's threads woke, and in how many seconds
//   steady-loop busy SECONDS [STORE]  callouts of 20 ms, 5 ms apart; SIGTERM ends it earlier
//   steady-loop fork STORE            turns, forks without exec, lets the child run a loop and exit; prints its status
//   steady-loop fork-calls N STORE    forks N times while a thread uses the monitor, which each child uses, too; prints how many
//                                     children came to their end

import AllocationCounter
import CoreFoundation
import Foundation
import Stallwatch

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
  FileHandle.standardError.write(Data("usage: steady-loop iterate|idle|busy|fork|fork-calls NUMBER [STORE]\n".utf8))
  exit(2)
}
let number = Double(arguments[2]) ?? 0
let store = arguments.count > 3 ? arguments[3] : nil
let monitor = try store.map { store in
  var configuration = Configuration(store: store)
  (configuration.service, configuration.tags) = ("steady", ["kind": "test"])
  return try Monitor.start(configuration)
}

switch arguments[1] {
case "iterate": iterate(Int(number))
case "idle": idle(number)
case "busy": busy(number)
case "fork": forked()
case "fork-calls": forkedWhileUsed(Int(number))
default: exit(2)
}
monitor?.stop()

/// Every iteration waits and is woken at once by a wake-up that was asked for before.
@MainActor func iterate(_ iterations: Int) {
  nonisolated(unsafe) var left = iterations + 1_000
  nonisolated(unsafe) var before: UInt64 = 0
  let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.beforeTimers.rawValue, true, 0) { _, _ in
    left -= 1
    if left == iterations { before = allocations_of_this_thread() }
    if left == 0 {
      let after = allocations_of_this_thread()
      print("iterations \(iterations) allocations \(after - before)")
      CFRunLoopStop(CFRunLoopGetCurrent())
    }
    CFRunLoopWakeUp(CFRunLoopGetCurrent())
  }
  CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopDefaultMode)
  let timer = Timer(timeInterval: 3_600, repeats: true) { _ in }
  RunLoop.main.add(timer, forMode: .default)
  CFRunLoopRun()
  timer.invalidate()
}

/// Nothing happens in the program.
@MainActor func idle(_ seconds: Double) {
  let timer = Timer(timeInterval: 3_600, repeats: true) { _ in }
  RunLoop.main.add(timer, forMode: .default)
  let watcher = Thread {
    // The run that begins meanwhile wakes the watchdog; after a flush it is parked again, sooner or later; the
    // drift probe has no rest. A monitor that never comes to rest is counted all the same.
    var before = monitorWakeups()
    let isTicking = ProcessInfo.processInfo.environment["STALLWATCH_DRIFT_INTERVAL"] != "off"
    for _ in 0..<(isTicking ? 2 : 60) {
      Thread.sleep(forTimeInterval: 1)
      let now = monitorWakeups()
      if now == before, now.threads > 0 { break }
      before = now
    }
    let start = DispatchTime.now().uptimeNanoseconds
    before = monitorWakeups()
    Thread.sleep(forTimeInterval: seconds)
    let after = monitorWakeups()
    let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    print("threads \(after.threads) wakeups \(after.wakeups - before.wakeups) seconds \(elapsed)")
    exit(0)
  }
  watcher.start()
  RunLoop.main.run()
}

/// How many threads the monitor has, and how often they went to sleep, which is as often as they woke. How often they were
/// given a processor would count the machine's other work too.
@Sendable func monitorWakeups() -> (threads: Int, wakeups: Int) {
  let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  let ours = tasks.filter { task in
    (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix("stallwatch") == true
  }
  let wakeups = ours.compactMap { task in
    (try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8))?.split(separator: "\n")
      .first { $0.hasPrefix("voluntary_ctxt_switches") }?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
  }
  return (ours.count, wakeups.reduce(0, +))
}

@MainActor func busy(_ seconds: Double) {
  let timer = Timer(timeInterval: 0.005, repeats: true) { _ in
    let end = DispatchTime.now() + .milliseconds(20)
    while DispatchTime.now() < end {}
  }
  RunLoop.main.add(timer, forMode: .default)
  FileHandle.standardOutput.write(Data("ready\n".utf8))
  // Or until a signal ends it.
  let isOver = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
  signal(SIGTERM, SIG_IGN)
  isOver.setEventHandler { CFRunLoopStop(CFRunLoopGetMain()) }
  isOver.resume()
  CFRunLoopRunInMode(kCFRunLoopDefaultMode, seconds, false)
  timer.invalidate()
}

@MainActor func forked() {
  turn(50)
  // The child shares what its parent's loop waits with, and each takes the other's timers: for a time, then.
  let status = run_in_forked_child {
    RunLoop.current.add(Timer(timeInterval: 0.005, repeats: true) { _ in }, forMode: .default)
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.3))
  }
  turn(50)
  print("child \(status)")
}

/// A lock that the thread holds when the process is forked is held in the child for good.
@MainActor func forkedWhileUsed(_ times: Int) {
  let user = Thread {
    while true { monitor?.annotate("used", "\(UInt64.random(in: 0...9))") }
  }
  user.start()
  let whole = (0..<times).count { _ in
    run_in_forked_child {
      // The end of a child that waits for a lock.
      alarm(30)
      monitor?.annotate("child", "yes")
      _ = monitor?.watchCurrentLoop(name: "child")
      _ = monitor?.trouble
      _ = monitor?.stalls
      monitor?.stop()
      do {
        _ = try Monitor.start(Configuration(store: store!))
        _exit(1)
      } catch MonitorError.forkedChild {
      } catch {
        _exit(2)
      }
    } == 0
  }
  print("whole \(whole)")
}

/// Until the timer has fired so often, each time in an iteration of its own, however long that takes.
func turn(_ times: Int) {
  nonisolated(unsafe) var left = times
  let timer = Timer(timeInterval: 0.005, repeats: true) { _ in
    left -= 1
    if left <= 0 { CFRunLoopStop(CFRunLoopGetCurrent()) }
  }
  RunLoop.current.add(timer, forMode: .default)
  while left > 0 { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false) }
  timer.invalidate()
}
