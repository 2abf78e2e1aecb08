import CoreFoundation
import StallwatchCore

/// The two observers of one mode of one loop.
struct AttachedMode {
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
      var context = CFRunLoopObserverContext(
        version: 0, info: tap, retain: nil, release: nil, copyDescription: describeObserver)
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

  /// Whether `observer` is one of ours, in any mode of any loop. Any thread; no lock.
  static func isOurs(_ observer: CFRunLoopObserver) -> Bool {
    var context = CFRunLoopObserverContext()
    CFRunLoopObserverGetContext(observer, &context)
    guard let describe = context.copyDescription else { return false }
    return unsafeBitCast(describe, to: UInt.self) == unsafeBitCast(describeObserver, to: UInt.self)
  }

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

/// What `CFCopyDescription` shows of our observers. Being ours alone, it also marks them.
private let describeObserver: @convention(c) (UnsafeRawPointer?) -> Unmanaged<CFString>? = { _ in
  CFStringCreateWithCString(nil, "Stallwatch", CFStringBuiltInEncodings.UTF8.rawValue).map(Unmanaged.passRetained)
}
