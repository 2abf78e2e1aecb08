import CoreFoundation
import StallwatchCore

/// In which modes of a loop the drift probe is: the loop's common modes, where a program puts the timers that are to fire
/// always, and those that were chosen besides.
///
/// CF tells of nobody which modes are common. So an observer of no activity, which is never called, goes into the common
/// modes for a moment; the modes that then have it are common.
struct DriftModes: @unchecked Sendable {
  private let marker: CFRunLoopObserver
  private let chosen: [String]

  init?(chosen: [String]) {
    guard let marker = CFRunLoopObserverCreate(nil, 0, true, 0, { _, _, _ in }, nil) else { return nil }
    self.marker = marker
    self.chosen = chosen
  }

  /// The places of the probe's modes among `modes`. Any thread, under the registry's lock; takes CF's lock on the loop.
  func places(in loop: CFRunLoop, among modes: [AttachedMode]) -> [Int] {
    CFRunLoopAddObserver(loop, marker, kCFRunLoopCommonModes)
    // Removed, never invalidated: that is not safe while the loop's thread runs.
    defer { CFRunLoopRemoveObserver(loop, marker, kCFRunLoopCommonModes) }
    return modes.indices.filter { place in
      CFRunLoopContainsObserver(loop, marker, modes[place].name)
        || chosen.contains(String(describing: modes[place].name))
    }
  }
}
