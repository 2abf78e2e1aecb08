/// One or several of a run loop's own events, with CF's spelling and raw values (`CFRunLoopActivity`).
@usableFromInline
package struct Activity: OptionSet, Hashable, Sendable {
  /// One CF bit for each activity in the set.
  @usableFromInline package let rawValue: UInt

  /// An activity, or a set of them, from CF's bits.
  @inlinable
  package init(rawValue: UInt) { self.rawValue = rawValue }

  /// A run of the loop in one mode begins.
  @inlinable package static var entry: Activity { Activity(rawValue: 1 << 0) }
  /// An iteration begins; the loop may look at its timers next.
  @inlinable package static var beforeTimers: Activity { Activity(rawValue: 1 << 1) }
  /// The loop serves blocks and version 0 sources next.
  @inlinable package static var beforeSources: Activity { Activity(rawValue: 1 << 2) }
  /// The loop is about to sleep.
  @inlinable package static var beforeWaiting: Activity { Activity(rawValue: 1 << 5) }
  /// The loop woke up; it serves timers, the main queue or a version 1 source next.
  @inlinable package static var afterWaiting: Activity { Activity(rawValue: 1 << 6) }
  /// The run ends.
  @inlinable package static var exit: Activity { Activity(rawValue: 1 << 7) }

  /// The activities that open a span or a phase. The first-order observer takes them, so that the span includes what
  /// other observers do at the same activity.
  package static var opening: Activity { [.entry, .beforeTimers, .beforeSources, .afterWaiting] }
  /// The activities that close a span. The last-order observer takes them, for the same reason.
  package static var closing: Activity { [.beforeWaiting, .exit] }
}
