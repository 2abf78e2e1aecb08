import CoreFoundation
import Foundation

/// A repeating timer that counts for itself what came due and what fired, and ends itself in its own callout.
///
/// Due times are known to within the time that making it took, so it ends well away from one, where its last count is
/// beyond dispute.
final class CountedTimer {
  let name: String
  let interval: UInt64
  private(set) var timer: CFRunLoopTimer!
  private(set) var fired = 0
  /// When it fired.
  private(set) var moments: [UInt64] = []
  /// Due times until it ended: what was counted before and after. A due time that fell between may count or not.
  private(set) var due: ClosedRange<Int>?
  /// Called once, in the next callout.
  var work: (() -> Void)?
  var isToEnd = false
  private var first: UInt64 = 0

  init(_ name: String, milliseconds: Double, in mode: CFRunLoopMode = kCFRunLoopDefaultMode) {
    self.name = name
    interval = UInt64(milliseconds * 1e6)
    while timer == nil {
      let before = now()
      let made = CFRunLoopTimerCreateWithHandler(
        nil, CFAbsoluteTimeGetCurrent() + milliseconds / 1e3, milliseconds / 1e3, 0, 0
      ) { [unowned self] _ in fire() }!
      if now() - before < interval / 100 {
        timer = made
        first = before + interval
      } else {
        CFRunLoopTimerInvalidate(made)
      }
    }
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, mode)
  }

  private func fire() {
    fired += 1
    moments.append(now())
    work?()
    work = nil
    guard isToEnd else { return }
    while phase < interval / 25 { usleep(100) }
    if phase < interval / 2 { end() }
  }

  private var phase: UInt64 { (now() - first) % interval }
  private var counted: Int { now() < first ? 0 : Int((now() - first) / interval) + 1 }

  /// Ends it now.
  func end() {
    let before = counted
    CFRunLoopTimerInvalidate(timer)
    due = before...counted
  }

  func report() {
    guard let due else { return print("timer \(name) did not end") }
    print("timer \(name) \(fired) \(due.lowerBound) \(due.upperBound)")
  }
}

/// The monotonic clock.
func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
