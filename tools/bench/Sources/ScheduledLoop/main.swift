// Holds the main loop by a schedule: scheduled-loop SCHEDULE.json [TRUTH.jsonl]
// The schedule is a list of {afterMs, holdMs, times}. A hold comes so many times in a row (1), in iterations that do
// not wait. The truth has a line for each, as the workload's has.

import CoreFoundation
import Foundation

struct Hold: Decodable {
  var afterMs: Double
  var holdMs: Double
  var times: Int?
}

/// The holds as they were, with their numbers from 1 on.
var truth: [(startedNs: UInt64, durationNs: UInt64)] = []

@MainActor func hold(_ milliseconds: Double) {
  // On Linux it reads the monotonic clock.
  let began = DispatchTime.now().uptimeNanoseconds
  var now = began
  while now < began + UInt64(milliseconds * 1e6) { now = DispatchTime.now().uptimeNanoseconds }
  truth.append((began, now - began))
}

/// A source that asks to be called again until it was called often enough: meanwhile its loop does not wait.
@MainActor final class Burst {
  private var left = 0
  private var milliseconds = 0.0
  private var source: CFRunLoopSource?

  init() {
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.perform = { info in
      guard let info else { return }
      let burst = Unmanaged<Burst>.fromOpaque(info).takeUnretainedValue()
      MainActor.assumeIsolated { burst.turn() }
    }
    source = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetMain(), source, kCFRunLoopCommonModes)
  }

  func begin(_ next: Hold) {
    left = next.times ?? 1
    milliseconds = next.holdMs
    CFRunLoopSourceSignal(source)
  }

  private func turn() {
    hold(milliseconds)
    left -= 1
    if left > 0 { CFRunLoopSourceSignal(source) } else { CFRunLoopStop(CFRunLoopGetMain()) }
  }
}

let schedule = try JSONDecoder().decode(
  [Hold].self, from: Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "")))
let burst = Burst()
for next in schedule {
  let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + next.afterMs / 1_000, 0, 0, 0) { _ in
    MainActor.assumeIsolated {
      if next.times != nil { return burst.begin(next) }
      hold(next.holdMs)
      CFRunLoopStop(CFRunLoopGetMain())
    }
  }
  CFRunLoopAddTimer(CFRunLoopGetMain(), timer, kCFRunLoopCommonModes)
  CFRunLoopRun()
}
// Waits once more, so that the last hold has an end too.
CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false)
if CommandLine.arguments.count > 2 {
  let lines = truth.enumerated().map { place, hold in
    #"{"kind":"stall","number":\#(place + 1),"started_ns":\#(hold.startedNs),"duration_ns":\#(hold.durationNs)}"# + "\n"
  }
  try lines.joined().write(toFile: CommandLine.arguments[2], atomically: true, encoding: .utf8)
}
