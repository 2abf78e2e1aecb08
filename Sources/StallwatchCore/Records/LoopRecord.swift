/// What serves work one item after the other. A run loop is the first kind of lane that was watched, so what is true of all
/// of them is named for loops.
package enum LaneKind: String, CaseIterable, Sendable {
  /// CoreFoundation's.
  case runLoop = "run loop"
  /// A thread that waits for descriptors again and again, as SwiftNIO's do.
  case eventLoop = "event loop"
  /// Dispatch's, where no run loop serves it: then it is also the main actor's.
  case mainQueue = "main queue"
  /// Dispatch's serial queues with one label. What holds one is a stall only if an item waits for it.
  case queue = "queue"
  /// Concurrent and global queues of Dispatch's with one label, Swift's pool among them: threads that serve several items at
  /// once. What holds one is a stall only if an item waits for it.
  case pool = "pool"
  /// Swift's default actors of one class. What holds one is a stall only if a task waits for it.
  case actor = "actor"
  /// A queue, an actor or an event loop that the program named to the monitor, where nothing shows its items: pings wait in
  /// it as items do. Nothing is known of what it serves but its thread, and that not always.
  case pinged = "pinged"

  /// Whether one thread serves all of its items, and the lane ends with it.
  package var hasOneThread: Bool { self == .runLoop || self == .eventLoop }
  /// Whether its time has modes and phases that tell more than that it is a lane.
  package var hasModes: Bool { self == .runLoop }
  /// Whether a stall of it is a queue delay: the time for which an item waited.
  package var isOfItems: Bool { self == .queue || self == .pool || self == .actor || self == .pinged }
}

/// A run loop, or another lane, came under watch.
package struct LoopRecord: Sendable {
  /// Its number within the session, from 1.
  package var id: LoopID
  /// `main`, the name that the program gave it, its thread's name, or `thread TID`.
  package var name: String
  /// The operating system's thread number (gettid on Linux).
  package var threadID: UInt64
  /// Whether it is the main thread's loop, or the main queue.
  package var isMain: Bool
  /// What kind of lane it is.
  package var kind: LaneKind
  /// When watching began, on the monotonic clock.
  package var startedNs: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(
    id: LoopID, name: String, threadID: UInt64, isMain: Bool, kind: LaneKind = .runLoop, startedNs: Nanoseconds
  ) {
    self.id = id
    self.name = name
    self.threadID = threadID
    self.isMain = isMain
    self.kind = kind
    self.startedNs = startedNs
  }
}

/// The monitor saw a mode of a watched loop for the first time.
package struct ModeRecord: Sendable {
  /// The loop that has the mode.
  package var loop: LoopID
  /// The mode's place in the loop's table, from 0.
  package var index: Int
  /// CF's name, for example `kCFRunLoopDefaultMode`.
  package var name: String
  /// When the monitor attached its observers to it, on the monotonic clock.
  package var attachedNs: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(loop: LoopID, index: Int, name: String, attachedNs: Nanoseconds) {
    self.loop = loop
    self.index = index
    self.name = name
    self.attachedNs = attachedNs
  }
}

/// A loop's time outside any run, its activities, and its end if it has ended.
package struct LoopProgress: Sendable {
  /// The loop that the growth belongs to.
  package var loop: LoopID
  /// Time between the end of one run and the start of the next, since the last such record.
  package var outside: Nanoseconds
  /// Activities observed since the last such record.
  package var activities: UInt64
  /// When the loop's thread or the watching ended, on the monotonic clock; nil while both go on.
  package var endedNs: Nanoseconds?

  /// Sets every property as given; checks nothing.
  package init(loop: LoopID, outside: Nanoseconds, activities: UInt64, endedNs: Nanoseconds? = nil) {
    self.loop = loop
    self.outside = outside
    self.activities = activities
    self.endedNs = endedNs
  }
}
