/// What a run loop tells its observers, with CF's own spelling and raw values (`CFRunLoopActivity`).
public struct Activity: OptionSet, Hashable, Sendable {
  /// CF's bit.
  public let rawValue: UInt

  /// An activity, or a set of them, from CF's bits.
  @inlinable
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// A run of the loop in one mode begins.
  public static let entry = Activity(rawValue: 1 << 0)
  /// An iteration begins; timers may be looked at next.
  public static let beforeTimers = Activity(rawValue: 1 << 1)
  /// Blocks and version 0 sources are served next.
  public static let beforeSources = Activity(rawValue: 1 << 2)
  /// The loop is about to sleep.
  public static let beforeWaiting = Activity(rawValue: 1 << 5)
  /// The loop woke up; timers, the main queue or a version 1 source are served next.
  public static let afterWaiting = Activity(rawValue: 1 << 6)
  /// The run ends.
  public static let exit = Activity(rawValue: 1 << 7)

  /// The activities that open a span or a phase: taken by the first-order observer, so that what other observers do
  /// at the same activity counts.
  public static let opening: Activity = [.entry, .beforeTimers, .beforeSources, .afterWaiting]
  /// The activities that close a span: taken by the last-order observer, for the same reason.
  public static let closing: Activity = [.beforeWaiting, .exit]
}
