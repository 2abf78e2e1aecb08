import CoreFoundation
import StallwatchCore

/// The two observers of one mode, at a place in a loop's table. They serve one loop after the other, as their memory does.
struct ModeObservers: @unchecked Sendable {
  /// Called before every other observer at the activities that open something.
  let first: CFRunLoopObserver
  /// Called after every other observer at the activities that close something.
  let last: CFRunLoopObserver

  /// The order of the observer that comes last.
  static let lastOrder = CFIndex.max

  init?(tap: UnsafeMutablePointer<ModeTap>) {
    func observer(_ activities: Activity, order: CFIndex) -> CFRunLoopObserver? {
      var context = CFRunLoopObserverContext(version: 0, info: tap, retain: nil, release: nil, copyDescription: nil)
      return CFRunLoopObserverCreate(
        nil, CFOptionFlags(activities.rawValue), true, order, observeActivity, &context)
    }
    guard let first = observer(.opening, order: CFIndex.min), let last = observer(.closing, order: Self.lastOrder)
    else { return nil }
    self.first = first
    self.last = last
  }
}

/// One mode of one loop with its observers. CF lets any thread add and remove them.
struct AttachedMode: @unchecked Sendable {
  let name: CFRunLoopMode
  let counters: ModeCounters
  let attachedNs: Nanoseconds
  private let observers: ModeObservers

  init(_ name: CFRunLoopMode, counters: ModeCounters, observers: ModeObservers, at now: Nanoseconds) {
    self.name = name
    self.counters = counters
    self.observers = observers
    attachedNs = now
  }

  /// Whether `observer` is one of the two.
  func owns(_ observer: CFRunLoopObserver) -> Bool { observer === observers.first || observer === observers.last }

  func add(to loop: CFRunLoop) {
    // The closing observer first: a run that is about to wait is seen to wait before it is seen to wake.
    CFRunLoopAddObserver(loop, observers.last, name)
    CFRunLoopAddObserver(loop, observers.first, name)
  }

  func remove(from loop: CFRunLoop) {
    CFRunLoopRemoveObserver(loop, observers.first, name)
    CFRunLoopRemoveObserver(loop, observers.last, name)
  }

  /// Moves the closing observer behind one that was added with the same order.
  func moveLast(in loop: CFRunLoop) {
    CFRunLoopRemoveObserver(loop, observers.last, name)
    CFRunLoopAddObserver(loop, observers.last, name)
  }
}
