/// What a thread was doing at the moment of a sample.
public enum ThreadActivity: String, CaseIterable, Sendable {
  /// On a processor.
  case running
  /// In the kernel, not runnable.
  case blocked
  /// Runnable, without a processor.
  case starved
}

/// One look at a held thread.
public struct StackSample: Sendable, Equatable {
  /// When it was taken.
  public var atNs: Nanoseconds
  /// The watched time that it stands for; a stall's samples add up to its watched time.
  public var weight: Nanoseconds
  /// What the thread was doing.
  public var activity: ThreadActivity
  /// Raw program counters, leaf first: the first is where the thread stood, the others are return addresses. The last is
  /// ``cutMark`` where the stack goes on and was not read. Empty when none of it could be read.
  public var frames: [UInt64]
  /// Stands for the frames that are missing at the outer end of a stack. No code lies there.
  public static let cutMark: UInt64 = 0
  /// What it was blocked on, where that could be known.
  public var blockedOn: BlockedOn?

  /// A sample.
  public init(
    atNs: Nanoseconds, weight: Nanoseconds, activity: ThreadActivity, frames: [UInt64], blockedOn: BlockedOn? = nil
  ) {
    self.atNs = atNs
    self.weight = weight
    self.activity = activity
    self.frames = frames
    self.blockedOn = blockedOn
  }
}

/// What a thread was blocked on.
public struct BlockedOn: Sendable, Hashable {
  /// The system call's name, for example `fsync`, or `system call 999` where it is not known.
  public var systemCall: String
  /// The thing behind it: a file's path, a socket's peer, `pipe`, `futex`; nil where it cannot be known.
  public var target: String?
  /// Who holds the lock, where it is one with an owner.
  public var owner: LockOwner?

  /// What a thread was blocked on.
  public init(systemCall: String, target: String? = nil, owner: LockOwner? = nil) {
    self.systemCall = systemCall
    self.target = target
    self.owner = owner
  }
}

/// The thread that held the lock another one waited for, at that moment.
public struct LockOwner: Sendable, Hashable {
  /// Its number.
  public var threadID: UInt64
  /// Its name; `thread TID` where it has none.
  public var name: String
  /// Its stack, like ``StackSample/frames``.
  public var frames: [UInt64]

  /// A lock's owner.
  public init(threadID: UInt64, name: String, frames: [UInt64]) {
    self.threadID = threadID
    self.name = name
    self.frames = frames
  }
}

/// How a stall's watched time divides. `running + blocked + starved == watched`.
public struct StallCause: Sendable, Equatable {
  /// On a processor.
  public var running: Nanoseconds
  /// In the kernel, not runnable.
  public var blocked: Nanoseconds
  /// Runnable, without a processor.
  public var starved: Nanoseconds

  /// The time that was watched: from the first look at the held thread to the last, at most the stall's duration.
  public var watched: Nanoseconds { running + blocked + starved }

  /// A division of watched time.
  public init(running: Nanoseconds, blocked: Nanoseconds, starved: Nanoseconds) {
    self.running = running
    self.blocked = blocked
    self.starved = starved
  }
}

/// All samples of one stall so far. Takes the place of what was told of the same stall before.
public struct StallSamples: Sendable {
  /// The stall's number within the session.
  public var stall: StallID
  /// At most 64, in the order of time.
  public var samples: [StackSample]
  /// How the watched time divides; nil where the system does not tell.
  public var cause: StallCause?

  /// A stall's samples.
  public init(stall: StallID, samples: [StackSample], cause: StallCause?) {
    self.stall = stall
    self.samples = samples
    self.cause = cause
  }
}

/// A stack that was seen while a loop was busy, with how often: part of a profile, growing.
public struct ProfiledStack: Sendable, Equatable {
  /// The loop.
  public var loop: LoopID
  /// Like ``StackSample/frames``.
  public var frames: [UInt64]
  /// Samples since the last such record.
  public var count: UInt64
  /// The busy time they stand for.
  public var weight: Nanoseconds

  /// A stack of a profile.
  public init(loop: LoopID, frames: [UInt64], count: UInt64, weight: Nanoseconds) {
    self.loop = loop
    self.frames = frames
    self.count = count
    self.weight = weight
  }
}

/// An executable or library as it was mapped when its addresses were sampled.
public struct ImageRecord: Sendable, Hashable {
  /// Its file.
  public var path: String
  /// The GNU build-id (LC_UUID on Apple's systems) in lower-case hexadecimal; nil where it has none.
  public var buildID: String?
  /// The address that corresponds to the image's own address 0 (the load bias).
  public var base: UInt64
  /// First address of its executable part.
  public var start: UInt64
  /// The address after its last executable one.
  public var end: UInt64

  /// An image.
  public init(path: String, buildID: String?, base: UInt64, start: UInt64, end: UInt64) {
    self.path = path
    self.buildID = buildID
    self.base = base
    self.start = start
    self.end = end
  }
}
