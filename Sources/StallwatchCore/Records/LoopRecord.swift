/// A run loop came under watch.
public struct LoopRecord: Sendable {
  /// Its number within the session.
  public var id: LoopID
  /// `main`, the name it was watched by, its thread's name, or `thread TID`.
  public var name: String
  /// The operating system's thread number (gettid on Linux).
  public var threadID: UInt64
  /// Whether it is the main thread's.
  public var isMain: Bool
  /// When watching began, on the monotonic clock.
  public var startedNs: Nanoseconds

  /// A loop.
  public init(id: LoopID, name: String, threadID: UInt64, isMain: Bool, startedNs: Nanoseconds) {
    self.id = id
    self.name = name
    self.threadID = threadID
    self.isMain = isMain
    self.startedNs = startedNs
  }
}

/// A mode of a watched loop was seen for the first time.
public struct ModeRecord: Sendable {
  /// The loop.
  public var loop: LoopID
  /// The mode's place in the loop's table, 0 …
  public var index: Int
  /// CF's name, for example `kCFRunLoopDefaultMode`.
  public var name: String
  /// When observers were attached to it, on the monotonic clock.
  public var attachedNs: Nanoseconds

  /// A mode.
  public init(loop: LoopID, index: Int, name: String, attachedNs: Nanoseconds) {
    self.loop = loop
    self.index = index
    self.name = name
    self.attachedNs = attachedNs
  }
}

/// What a loop did outside any run, and that its thread may have ended.
public struct LoopProgress: Sendable {
  /// The loop.
  public var loop: LoopID
  /// Time between the end of one run and the start of the next, since the last such record.
  public var outside: Nanoseconds
  /// Activities observed since the last such record.
  public var activities: UInt64
  /// When the thread or the watching ended, on the monotonic clock; nil while it goes on.
  public var endedNs: Nanoseconds?

  /// A loop's progress.
  public init(loop: LoopID, outside: Nanoseconds, activities: UInt64, endedNs: Nanoseconds? = nil) {
    self.loop = loop
    self.outside = outside
    self.activities = activities
    self.endedNs = endedNs
  }
}
