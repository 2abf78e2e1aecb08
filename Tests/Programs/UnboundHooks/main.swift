// A program that embeds the monitor, with hooks that register it and are never called: as they are where libFoundation is
// bound to its own functions.
//
//   unbound-hooks STORE
//
// The main loop runs for half a second in a mode that is made after the monitor has started, nested in a timer.

import CoreFoundation
import Foundation
import Stallwatch

/// What StallwatchHooks exports; the monitor finds it by name.
@_cdecl("stallwatch_hooks_register")
public func registerAndForget(_ listener: UnsafeRawPointer?) -> Int32 { 0 }

let monitor = try Monitor.start(Configuration(store: CommandLine.arguments[1]))
let outer = Timer(timeInterval: 0.05, repeats: false) { _ in
  let late = CFStringCreateWithCString(nil, "made late", CFStringBuiltInEncodings.UTF8.rawValue)!
  let inner = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 0.01, 0, 0) { _ in }
  CFRunLoopAddTimer(CFRunLoopGetMain(), inner, late)
  CFRunLoopRunInMode(late, 0.5, false)
}
RunLoop.main.add(outer, forMode: .default)
RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.7))
monitor.stop()
