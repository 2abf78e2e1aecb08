import CoreFoundation
import Foundation

/// A thread's run loop. What is done here with another thread's loop is what CF allows from any thread.
struct Loop: @unchecked Sendable {
  let loop: CFRunLoop

  /// The calling thread's.
  static var current: Loop { Loop(loop: CFRunLoopGetCurrent()) }

  /// Makes the innermost run end.
  func stop() { CFRunLoopStop(loop) }

  /// Makes it turn once.
  func wakeUp() { CFRunLoopWakeUp(loop) }

  /// Calls back once.
  @discardableResult
  func after(milliseconds: Double, in mode: String, _ work: @escaping () -> Void) -> CFRunLoopTimer {
    addTimer(milliseconds, interval: 0, modes: [mode], work)
  }

  /// Calls back again and again.
  @discardableResult
  func every(milliseconds: Double, in modes: String..., work: @escaping () -> Void) -> CFRunLoopTimer {
    addTimer(milliseconds, interval: milliseconds / 1_000, modes: modes, work)
  }

  private func addTimer(
    _ milliseconds: Double, interval: Double, modes: [String], _ work: @escaping () -> Void
  ) -> CFRunLoopTimer {
    let timer = CFRunLoopTimerCreateWithHandler(
      nil, CFAbsoluteTimeGetCurrent() + milliseconds / 1_000, interval, 0, 0
    ) { _ in work() }!
    for mode in modes { CFRunLoopAddTimer(loop, timer, cfMode(mode)) }
    return timer
  }

  /// Calls back in the mode before every wait.
  @discardableResult
  func beforeWaiting(order: Int, in mode: String, _ work: @escaping () -> Void) -> CFRunLoopObserver {
    let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.beforeWaiting.rawValue, true, order) {
      _, _ in work()
    }!
    CFRunLoopAddObserver(loop, observer, cfMode(mode))
    return observer
  }

  /// Runs the calling thread's loop.
  @discardableResult
  static func run(_ mode: String, seconds: Double = 30, untilSource: Bool = false) -> CFRunLoopRunResult {
    CFRunLoopRunInMode(cfMode(mode), seconds, untilSource)
  }
}

/// CF's own value of a mode's name.
func cfMode(_ name: String) -> CFRunLoopMode {
  switch name {
  case "kCFRunLoopDefaultMode": kCFRunLoopDefaultMode
  case "kCFRunLoopCommonModes": kCFRunLoopCommonModes
  default: privateMode(name)
  }
}

private func privateMode(_ name: String) -> CFRunLoopMode {
  #if canImport(Darwin)
    return CFRunLoopMode(name as CFString)
  #else
    return CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue)
  #endif
}

/// The mode that the calling thread's loop runs in.
func currentModeName() -> String {
  guard let mode = CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()) else { return "" }
  #if canImport(Darwin)
    return mode.rawValue as String
  #else
    return String(describing: mode)
  #endif
}
