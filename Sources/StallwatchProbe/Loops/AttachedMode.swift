import CoreFoundation
import StallwatchCore

/// The two observers of one mode of one loop. CF lets any thread add and remove them.
struct AttachedMode: @unchecked Sendable {
  let name: CFRunLoopMode
  let counters: ModeCounters
  let attachedNs: Nanoseconds
  /// Called before every other observer at the activities that open something.
  private let first: CFRunLoopObserver
  /// Called after every other observer at the activities that close something.
  private let last: CFRunLoopObserver

  /// The order of the observer that comes last.
  static let lastOrder = CFIndex.max

  init?(_ name: CFRunLoopMode, counters: ModeCounters, tap: UnsafeMutablePointer<ModeTap>, at now: Nanoseconds) {
    func observer(_ activities: Activity, order: CFIndex) -> CFRunLoopObserver? {
      var context = CFRunLoopObserverContext(version: 0, info: tap, retain: nil, release: nil, copyDescription: nil)
      return CFRunLoopObserverCreate(
        nil, CFOptionFlags(activities.rawValue), true, order, observeActivity, &context)
    }
    guard let first = observer(.opening, order: CFIndex.min), let last = observer(.closing, order: Self.lastOrder)
    else { return nil }
    self.name = name
    self.counters = counters
    self.first = first
    self.last = last
    attachedNs = now
  }

  /// Whether `observer` is one of the two.
  func owns(_ observer: CFRunLoopObserver) -> Bool { observer === first || observer === last }

  func add(to loop: CFRunLoop) {
    // The closing observer first: a run that is about to wait is seen to wait before it is seen to wake.
    CFRunLoopAddObserver(loop, last, name)
    CFRunLoopAddObserver(loop, first, name)
  }

  func remove(from loop: CFRunLoop) {
    CFRunLoopRemoveObserver(loop, first, name)
    CFRunLoopRemoveObserver(loop, last, name)
  }

  /// Moves the closing observer behind one that was added with the same order.
  func moveLast(in loop: CFRunLoop) {
    CFRunLoopRemoveObserver(loop, last, name)
    CFRunLoopAddObserver(loop, last, name)
  }
}
