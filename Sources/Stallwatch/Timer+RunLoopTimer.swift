import CoreFoundation
import Foundation

extension Timer {
  /// The CFRunLoopTimer behind it. On Apple's systems a `Timer` is one; elsewhere a private property holds one.
  var runLoopTimer: CFRunLoopTimer? {
    #if canImport(Darwin)
      return self as CFRunLoopTimer
    #else
      let storage = Mirror(reflecting: self).children.first { $0.label == "_timerStorage" }
      guard let object = storage?.value as? AnyObject?, let object,
        CFGetTypeID(object) == CFRunLoopTimerGetTypeID()
      else { return nil }
      // A checked cast does not know CoreFoundation's classes there, and traps.
      return Unmanaged<CFRunLoopTimer>.fromOpaque(Unmanaged.passUnretained(object).toOpaque()).takeUnretainedValue()
    #endif
  }
}
