import CoreFoundation
import StallwatchCore

/// The two observers of one mode, at a place in a loop's table. Like their memory, they serve one loop after another.
struct ModeObservers: @unchecked Sendable {
  /// Called before every other observer, at the opening activities.
  let first: CFRunLoopObserver
  /// Called after every other observer, at the closing activities.
  let last: CFRunLoopObserver

  /// The order of the observer that CF calls last.
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

/// One mode of one loop with its observers. Any thread may add and remove them, as CF allows.
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
    // The closing observer first, so that a run about to wait is seen waiting before it is seen waking.
    CFRunLoopAddObserver(loop, observers.last, name)
    CFRunLoopAddObserver(loop, observers.first, name)
  }

  func remove(from loop: CFRunLoop) {
    CFRunLoopRemoveObserver(loop, observers.first, name)
    CFRunLoopRemoveObserver(loop, observers.last, name)
  }

  /// Moves the closing observer behind one that the program added with the same order.
  func moveLast(in loop: CFRunLoop) {
    CFRunLoopRemoveObserver(loop, observers.last, name)
    CFRunLoopAddObserver(loop, observers.last, name)
  }
}
