import CoreFoundation

/// A repeating timer of 60 Hz in the common modes stands for a display link: a stall is reported when two ticks are
/// further apart than the threshold.
///
/// Embrace's hang detection works like this with a CADisplayLink (0.25 s).
public final class FrameTickTechnique: Technique {
  /// What it is called in the tables.
  public static let name = "frame tick"
  /// The bound of its description, in nanoseconds.
  public static let usualThreshold: UInt64 = 250_000_000

  private var last: UInt64 = 0

  /// Begins to watch the main loop; on the main thread.
  public init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void) {
    let frame = 1.0 / 60
    let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + frame, frame, 0, 0) {
      [unowned(unsafe) self] _ in
      let now = monotonicNow()
      if last != 0, now - last >= threshold { report(Sighting(started: last, ended: now, reported: now)) }
      last = now
    }
    CFRunLoopAddTimer(CFRunLoopGetMain(), timer, kCFRunLoopCommonModes)
  }
}
