import CoreFoundation
import Foundation
import Stallwatch

/// Makes things at an even rate. On the main thread, but for what the threads do.
///
/// The timers are CoreFoundation's: 330 bytes of every `Timer` of Foundation's stay for good, in which a growth of the
/// monitor's own would not be seen.
final class Maker: @unchecked Sendable {
  private let seconds: Double
  private let goals: (timers: Int, threads: Int, annotations: Int)
  private let monitor: Monitor
  private let began = DispatchTime.now().uptimeNanoseconds
  private var timers = 0
  private var threads = 0
  private var annotations = 0

  init(seconds: Int, timers: Int, threads: Int, annotations: Int, _ monitor: Monitor) {
    self.seconds = Double(seconds)
    goals = (timers, threads, annotations)
    self.monitor = monitor
  }

  private var elapsed: Double { Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9 }

  var isDone: Bool {
    timers == goals.timers && threads == goals.threads && annotations == goals.annotations && elapsed >= seconds
  }

  /// Makes what is due by now.
  func catchUp() {
    let share = min(elapsed / seconds, 1)
    while timers < Int(share * Double(goals.timers)) {
      timers += 1
      Self.addTimer(every: 0.001)
    }
    while threads < Int(share * Double(goals.threads)) {
      threads += 1
      startThread()
    }
    while annotations < Int(share * Double(goals.annotations)) {
      annotations += 1
      monitor.annotate("key \(annotations % 100)", "value \(annotations)")
    }
  }

  private func startThread() {
    let thread = Thread {
      let timer = Self.addTimer(every: 0.002)
      while CFRunLoopTimerIsValid(timer) { _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1e10, true) }
    }
    thread.stackSize = 256 * 1_024
    thread.start()
  }

  /// A timer of the calling thread's loop that ends at its first fire.
  @discardableResult
  private static func addTimer(every interval: Double) -> CFRunLoopTimer {
    let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + interval, interval, 0, 0) {
      CFRunLoopTimerInvalidate($0)
    }!
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
    return timer
  }

  func report() {
    print("{\"timers\":\(timers),\"threads\":\(threads),\"annotations\":\(annotations)}")
    fflush(nil)
  }
}
