// Counts its own timers, and has them watched by the embedded library without hooks: timer-counter STORE TRUTH TIMERS
//
// All timers are named. They run on the main loop and on two threads, in two modes; now and then a callout holds its loop.

import CoreFoundation
import Dispatch
import Foundation
import Stallwatch

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

nonisolated(unsafe) let other = CFStringCreateWithCString(
  nil, "CounterPrivate", CFStringBuiltInEncodings.UTF8.rawValue)!

/// A timer whose first due time and callouts are known, and which ends well away from a due time.
final class Counter {
  let name: String
  let interval: UInt64
  let isPrivate: Bool
  private(set) var timer: CFRunLoopTimer!
  private(set) var fired: UInt64 = 0
  private(set) var due: UInt64 = 0
  private(set) var hasEnded = false
  var isToEnd = false
  private var first: UInt64 = 0
  private let holdsAt: UInt64?

  init(place: Int) {
    name = "counter-\(place)"
    let seconds = Double(5_000 + place * place * 377 % 400_000 + place) / 1e6
    interval = UInt64(seconds * 1e9)
    isPrivate = place % 4 == 3
    holdsAt = place % 6 == 0 ? 5 : nil
    repeat {
      if let timer { CFRunLoopTimerInvalidate(timer) }
      first = now() + interval
      timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + seconds, seconds, 0, 0) {
        [unowned self] _ in fire()
      }
    } while now() + interval - first > 20_000
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, isPrivate ? other : kCFRunLoopDefaultMode)
  }

  private func fire() {
    fired += 1
    if fired == holdsAt { usleep(120_000) }
    let phase = (now() - first) % interval
    if isToEnd, phase > interval / 50, phase < interval * 3 / 4 { end() }
  }

  func endWhenAway() {
    while !hasEnded {
      let phase = now() > first ? (now() - first) % interval : 0
      if phase > interval / 50, phase < interval * 3 / 4 { end() } else { usleep(100) }
    }
  }

  private func end() {
    due = (now() - first) / interval + 1
    CFRunLoopTimerInvalidate(timer)
    hasEnded = true
  }
}

func threadID() -> UInt64 {
  let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
  return link.flatMap { UInt64($0.split(separator: "/").last ?? "") } ?? 0
}

func run(_ mode: CFRunLoopMode, for seconds: Double) {
  let end = now() + UInt64(seconds * 1e9)
  while now() < end { CFRunLoopRunInMode(mode, Double(end - min(now(), end)) / 1e9, false) }
}

/// The timers of one loop, from their making to their last line of truth.
func drive(_ places: [Int], _ monitor: Monitor, loop: String) -> [String] {
  let counters = places.map { Counter(place: $0) }
  if loop != "main" { monitor.watchCurrentLoop(name: loop) }
  for counter in counters {
    guard monitor.watch(counter.timer, name: counter.name) == nil else { exit(1) }
  }
  run(kCFRunLoopDefaultMode, for: 0.2)
  for _ in 0..<6 {
    run(kCFRunLoopDefaultMode, for: 0.5)
    run(other, for: 0.3)
  }
  for counter in counters { counter.isToEnd = true }
  for _ in 0..<20 where counters.contains(where: { !$0.hasEnded }) {
    run(other, for: 0.05)
    run(kCFRunLoopDefaultMode, for: 0.1)
  }
  for counter in counters { counter.endWhenAway() }
  run(kCFRunLoopDefaultMode, for: 0.05)
  let thread = threadID()
  return counters.map { counter in
    """
    {"kind":"timer","name":"\(counter.name)","loop":"\(loop)","thread_id":\(thread),\
    "modes":["\(counter.isPrivate ? "CounterPrivate" : "kCFRunLoopDefaultMode")"],\
    "interval_ns":\(counter.interval),"due":\(counter.due),"fired":\(counter.fired),\
    "dropped":\(counter.due - counter.fired)}
    """
  }
}

let arguments = CommandLine.arguments
let configuration = Configuration(store: arguments[1])
let monitor = try Monitor.start(configuration)
let all = Array(1...Int(arguments[3])!)
let share = { (number: Int) in all.filter { $0 % 3 == number } }
let lines = DispatchQueue(label: "lines")
nonisolated(unsafe) var truth: [String] = []
let done = DispatchGroup()
for number in 1...2 {
  let places = share(number)
  done.enter()
  let thread = Thread {
    let counted = drive(places, monitor, loop: "counting-\(number)")
    lines.sync { truth += counted }
    done.leave()
  }
  thread.start()
}
let mine = drive(share(0), monitor, loop: "main")
done.wait()
monitor.stop()
try (truth + mine + [""]).joined(separator: "\n").write(toFile: arguments[2], atomically: true, encoding: .utf8)
