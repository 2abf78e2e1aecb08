/// What a thread did at the moment of a sample.
package enum ThreadActivity: String, CaseIterable, Sendable {
  /// On a processor.
  case running
  /// In the kernel, not runnable.
  case blocked
  /// Runnable, without a processor.
  case starved
}

/// One look at a held thread.
package struct StackSample: Sendable, Equatable {
  /// When it was taken, on the monotonic clock.
  package var atNs: Nanoseconds
  /// The watched time that it stands for, in nanoseconds; the weights of a stall's samples add up to its watched time.
  package var weight: Nanoseconds
  /// What the thread did then.
  package var activity: ThreadActivity
  /// Raw program counters, leaf first: the first is where the thread stood, the others are return addresses. Behind an
  /// asynchronous function that a job of Swift's runtime runs come those that await it, each by the address after the first
  /// byte of the function that goes on then, or ``unknownAwaiterMark``. Ends with ``cutMark`` where the reader stopped before
  /// the stack's outer end. Empty when the reader could read no frame.
  package var frames: [UInt64]
  /// Stands for the missing frames at the outer end of a stack. No code lies at this address.
  package static let cutMark: UInt64 = 0
  /// Stands for functions that await, where the runtime's memory did not lead to them. No code lies at this address.
  package static let unknownAwaiterMark: UInt64 = 1
  /// Whether this stands for missing frames.
  package static func isMark(_ address: UInt64) -> Bool { address <= unknownAwaiterMark }
  /// What the thread was blocked on; nil where unknown.
  package var blockedOn: BlockedOn?

  /// Sets every property as given; checks nothing.
  package init(
    atNs: Nanoseconds, weight: Nanoseconds, activity: ThreadActivity, frames: [UInt64], blockedOn: BlockedOn? = nil
  ) {
    self.atNs = atNs
    self.weight = weight
    self.activity = activity
    self.frames = frames
    self.blockedOn = blockedOn
  }
}

extension StackSample {
  /// Whether this look found what an earlier one found: the same activity, the same stack, and the same thing to wait
  /// for. The innermost place of a thread that runs does not count if something called it, because it moves all the time.
  /// A thread that gets no processor stands where it stood, though no look can tell where.
  func repeats(_ earlier: StackSample) -> Bool {
    guard activity == earlier.activity, !frames.isEmpty || activity == .starved else { return false }
    guard frames == earlier.frames || activity == .running && Self.callers(frames, areThoseOf: earlier.frames) else {
      return false
    }
    return blockedOn?.repeats(earlier.blockedOn) ?? (earlier.blockedOn == nil)
  }

  /// Whether two stacks have the same callers of their innermost functions, at least one.
  fileprivate static func callers(_ frames: [UInt64], areThoseOf others: [UInt64]) -> Bool {
    frames.count > 1 && frames.dropFirst() == others.dropFirst()
  }
}

extension BlockedOn {
  /// Whether it is the same, also if the owner of the lock, who may run, stands elsewhere in the same function.
  fileprivate func repeats(_ earlier: BlockedOn?) -> Bool {
    guard let earlier, systemCall == earlier.systemCall, target == earlier.target,
      owner?.threadID == earlier.owner?.threadID
    else { return false }
    let (frames, others) = (owner?.frames ?? [], earlier.owner?.frames ?? [])
    return frames == others || StackSample.callers(frames, areThoseOf: others)
  }
}

/// What a thread was blocked on.
package struct BlockedOn: Sendable, Hashable {
  /// The system call's name, for example `fsync`; `system call 999` where the name is unknown.
  package var systemCall: String
  /// The object behind the call: a file's path, a socket's peer, `pipe`, `futex`; nil where unknown.
  package var target: String?
  /// Who holds the lock; nil unless it is a lock with an owner.
  package var owner: LockOwner?

  /// Sets every property as given; checks nothing.
  package init(systemCall: String, target: String? = nil, owner: LockOwner? = nil) {
    self.systemCall = systemCall
    self.target = target
    self.owner = owner
  }
}

/// The thread that held the lock at the moment when another thread waited for it.
package struct LockOwner: Sendable, Hashable {
  /// The system's number of the thread.
  package var threadID: UInt64
  /// The thread's name; `thread TID` where it has none.
  package var name: String
  /// The thread's stack, in the form of ``StackSample/frames``.
  package var frames: [UInt64]

  /// Sets every property as given; checks nothing.
  package init(threadID: UInt64, name: String, frames: [UInt64]) {
    self.threadID = threadID
    self.name = name
    self.frames = frames
  }
}

/// How a stall's watched time divides. `running + blocked + starved == watched`.
package struct StallCause: Sendable, Equatable {
  /// Time on a processor.
  package var running: Nanoseconds
  /// Time in the kernel, not runnable.
  package var blocked: Nanoseconds
  /// Time runnable, without a processor.
  package var starved: Nanoseconds

  /// The time that was watched: from the first look at the held thread to the last, at most the stall's duration.
  package var watched: Nanoseconds { running + blocked + starved }

  /// Sets the three parts as given; checks nothing.
  package init(running: Nanoseconds, blocked: Nanoseconds, starved: Nanoseconds) {
    self.running = running
    self.blocked = blocked
    self.starved = starved
  }
}

/// All samples of one stall so far. Replaces the earlier record of the same stall.
package struct StallSamples: Sendable {
  /// The stall's number within the session.
  package var stall: StallID
  /// At most 64, in order of time.
  package var samples: [StackSample]
  /// How the watched time divides; nil where the system does not report it.
  package var cause: StallCause?

  /// Sets every property as given; checks nothing.
  package init(stall: StallID, samples: [StackSample], cause: StallCause?) {
    self.stall = stall
    self.samples = samples
    self.cause = cause
  }
}

/// A stack seen while a loop was busy, and how often: a part of a profile that grows.
package struct ProfiledStack: Sendable, Equatable {
  /// The busy loop.
  package var loop: LoopID
  /// In the form of ``StackSample/frames``.
  package var frames: [UInt64]
  /// How many samples showed it since the last such record.
  package var count: UInt64
  /// The busy time that these samples stand for, in nanoseconds.
  package var weight: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(loop: LoopID, frames: [UInt64], count: UInt64, weight: Nanoseconds) {
    self.loop = loop
    self.frames = frames
    self.count = count
    self.weight = weight
  }
}

/// An executable or library as it was mapped when its addresses were sampled.
package struct ImageRecord: Sendable, Hashable {
  /// The path of its file.
  package var path: String
  /// The GNU build-id (LC_UUID on Apple's systems) in lower-case hexadecimal; nil where it has none.
  package var buildID: String?
  /// The address that corresponds to the image's own address 0 (the load bias).
  package var base: UInt64
  /// The first address of its executable part.
  package var start: UInt64
  /// The address after the last of its executable part.
  package var end: UInt64

  /// Sets every property as given; checks nothing.
  package init(path: String, buildID: String?, base: UInt64, start: UInt64, end: UInt64) {
    self.path = path
    self.buildID = buildID
    self.base = base
    self.start = start
    self.end = end
  }
}
