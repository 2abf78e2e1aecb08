import CoreFoundation
import Foundation

/// Ways to make the loop call a step's work. Call these in a timer's callout of the run that they are for.
extension LoopDriver {
  /// Lets the loop call `work` in the hold's callout.
  func call(for hold: Hold, of step: Step, in mode: String, work: @escaping () -> Void) {
    let registered = step.inCommonModes ? ModeName.commonModes : mode
    if let activity = hold.activity {
      observe(activity, order: hold.order ?? 0, in: registered, running: mode, work: work)
    } else {
      call(from: hold.callout, in: registered, work: work)
    }
  }

  /// Lets the loop call `work` in a callout, in a span of its own or in the rest of the current one.
  func call(from callout: Callout, in mode: String, work: @escaping () -> Void) {
    switch callout {
    case .timer: addTimer(after: 1_000_000, in: mode, work: work)
    case .source0: signalSource(in: mode, work: work)
    case .block: CFRunLoopPerformBlock(loop, modeName(mode), work)
    case .mainQueue:
      nonisolated(unsafe) let work = work
      DispatchQueue.main.async { work() }
    case .observer: observe(.beforeWaiting, order: 0, in: mode, running: mode, work: work)
    }
  }

  /// Adds a timer that fires once or, if `repeatedly`, again at the same interval.
  @discardableResult
  func addTimer(
    after delay: Nanoseconds, repeatedly: Bool = false, in mode: String, work: @escaping () -> Void
  ) -> CFRunLoopTimer {
    let seconds = Double(delay) / 1e9
    let timer = CFRunLoopTimerCreateWithHandler(
      nil, CFAbsoluteTimeGetCurrent() + seconds, repeatedly ? seconds : 0, 0, 0
    ) { _ in work() }!
    CFRunLoopAddTimer(loop, timer, modeName(mode))
    return timer
  }

  private func signalSource(in mode: String, work: @escaping () -> Void) {
    let source = CallbackSource(work)
    source.add(to: loop, mode: modeName(mode))
    source.signalOnce()
  }

  private func observe(
    _ activity: ObservedActivity, order: Int, in mode: String, running: String, work: @escaping () -> Void
  ) {
    let observer = CFRunLoopObserverCreateWithHandler(nil, activity.flag, false, order) { _, _ in work() }
    CFRunLoopAddObserver(loop, observer, modeName(mode))
    switch activity {
    case .entry, .exit: CFRunLoopStop(loop)
    case .afterWaiting: addTimer(after: 2_000_000, in: running) {}
    case .beforeTimers, .beforeSources, .beforeWaiting: break
    }
  }
}

extension ObservedActivity {
  fileprivate var flag: CFOptionFlags {
    let activity: CFRunLoopActivity =
      switch self {
      case .entry: .entry
      case .beforeTimers: .beforeTimers
      case .beforeSources: .beforeSources
      case .beforeWaiting: .beforeWaiting
      case .afterWaiting: .afterWaiting
      case .exit: .exit
      }
    return activity.rawValue
  }
}
