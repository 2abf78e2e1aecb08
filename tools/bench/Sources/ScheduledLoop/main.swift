// Holds the main loop by a schedule: scheduled-loop SCHEDULE.json, a list of {afterMs, holdMs}.

import CoreFoundation
import Foundation

struct Hold: Decodable {
  var afterMs: Double
  var holdMs: Double
}

let schedule = try JSONDecoder().decode(
  [Hold].self, from: Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "")))
for hold in schedule {
  let timer = Timer(timeInterval: hold.afterMs / 1_000, repeats: true) { timer in
    timer.invalidate()
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(hold.holdMs * 1e6)
    while DispatchTime.now().uptimeNanoseconds < end {}
    CFRunLoopStop(CFRunLoopGetMain())
  }
  RunLoop.main.add(timer, forMode: .default)
  CFRunLoopRun()
}
