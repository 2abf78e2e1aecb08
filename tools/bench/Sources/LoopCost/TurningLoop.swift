import CoreFoundation
import Foundation

/// The calling thread's run loop, made to turn.
final class TurningLoop {
  let modes: [CFRunLoopMode]
  private let iteration: Iteration
  private var left = 0
  /// Grows with every iteration.
  private var mark: UnsafeMutablePointer<UInt64>
  private var source: CFRunLoopSource?

  init(modes count: Int, iteration: Iteration) {
    self.iteration = iteration
    // Never freed: an observer may outlive the loop's last run.
    mark = .allocate(capacity: 1)
    mark.initialize(to: 0)
    modes = [.defaultMode] + (1..<max(count, 1)).map { CFRunLoopMode.named("Bench\($0)") }
    let loop = CFRunLoopGetCurrent()
    for mode in modes {
      // Something to wait for, that never comes.
      let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 86_400, 86_400, 0, 0) { _ in }
      CFRunLoopAddTimer(loop, timer, mode)
    }
    switch iteration {
    case .blocking: addWaker()
    case .source0: addSource()
    default: break
    }
  }

  /// Turns so many times, shared out among the modes.
  func turn(_ iterations: Int) {
    if iteration == .polling {
      for place in 0..<iterations {
        mark.pointee &+= 1
        CFRunLoopRunInMode(modes[place % modes.count], 0, false)
      }
      return
    }
    for mode in modes {
      left = iterations / modes.count
      if let source { CFRunLoopSourceSignal(source) }
      CFRunLoopRunInMode(mode, 86_400, false)
    }
  }

  /// Turns so many times, and counts the iterations at `mark` meanwhile.
  func turn(_ iterations: Int, mark: UnsafeMutablePointer<UInt64>) {
    let own = self.mark
    self.mark = mark
    defer { self.mark = own }
    turn(iterations)
  }

  /// Asks for a wake-up at the beginning of every iteration.
  private func addWaker() {
    let waker = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.beforeTimers.rawValue, true, 0) {
      [unowned(unsafe) self] _, _ in
      mark.pointee &+= 1
      left -= 1
      if left == 0 { CFRunLoopStop(CFRunLoopGetCurrent()) }
      CFRunLoopWakeUp(CFRunLoopGetCurrent())
    }
    for mode in modes { CFRunLoopAddObserver(CFRunLoopGetCurrent(), waker, mode) }
  }

  /// A source that signals itself whenever it is served.
  private func addSource() {
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.perform = { info in
      let turning = Unmanaged<TurningLoop>.fromOpaque(info!).takeUnretainedValue()
      turning.mark.pointee &+= 1
      turning.left -= 1
      if turning.left == 0 { CFRunLoopStop(CFRunLoopGetCurrent()) } else { CFRunLoopSourceSignal(turning.source!) }
    }
    source = CFRunLoopSourceCreate(nil, 0, &context)
    for mode in modes { CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode) }
  }
}

extension CFRunLoopMode {
  static var defaultMode: CFRunLoopMode { kCFRunLoopDefaultMode }

  static func named(_ name: String) -> CFRunLoopMode {
    CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue)
  }
}
