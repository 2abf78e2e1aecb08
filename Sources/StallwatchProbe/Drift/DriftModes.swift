import CoreFoundation
import StallwatchCore

/// The modes of a loop that the drift probe ticks in: the common modes, where programs put the timers that should
/// always fire, and the modes chosen besides.
///
/// CF does not say which modes are common. So this adds an observer of no activity, which CF never calls, to the common
/// modes for a moment; the modes that then contain it are common.
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
    // Removed, never invalidated: invalidating is not safe while the loop's thread runs.
    defer { CFRunLoopRemoveObserver(loop, marker, kCFRunLoopCommonModes) }
    return modes.indices.filter { place in
      CFRunLoopContainsObserver(loop, marker, modes[place].name)
        || chosen.contains(String(describing: modes[place].name))
    }
  }
}
