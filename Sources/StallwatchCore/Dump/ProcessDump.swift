/// What all threads of a process did at about one moment, read from outside without stopping it.
package struct ProcessDump: Sendable, Equatable {
  /// The process's number.
  package var pid: Int32
  /// The command line, program first; only the program's name where the kernel shows no more.
  package var command: [String]
  /// The wall clock when the reading began, in nanoseconds since 1970-01-01 UTC.
  package var takenAt: UInt64
  /// How long the reading took, in nanoseconds: threads were read one after the other.
  package var duration: Nanoseconds
  /// For how long the process had run, in nanoseconds; nil where unknown.
  package var age: Nanoseconds?
  /// The threads, the main thread first, then in the order in which they began.
  package var threads: [DumpedThread]
  /// The images of the addresses on their stacks.
  package var images: [ImageRecord]
  /// The store to which a monitor in the process records; nil without one, and where that cannot be seen.
  package var store: String?
  /// Whether work waits in Dispatch's main queue that the main thread alone may serve, in a run loop or once it calls
  /// dispatchMain(); nil where that cannot be seen.
  package var workWaitsForMain: Bool?
  /// What could not be read, with the reason and the remedy, each in one line.
  package var gaps: [String]

  /// Sets every property as given; checks nothing.
  package init(
    pid: Int32, command: [String], takenAt: UInt64, duration: Nanoseconds = 0, age: Nanoseconds? = nil,
    threads: [DumpedThread] = [], images: [ImageRecord] = [], store: String? = nil, workWaitsForMain: Bool? = nil,
    gaps: [String] = []
  ) {
    self.pid = pid
    self.command = command
    self.takenAt = takenAt
    self.duration = duration
    self.age = age
    self.threads = threads
    self.images = images
    self.store = store
    self.workWaitsForMain = workWaitsForMain
    self.gaps = gaps
  }
}

/// A thread of another process at one moment.
package struct DumpedThread: Sendable, Equatable {
  /// The system's number of the thread.
  package var id: UInt64
  /// Its name; nil where nobody named it.
  package var name: String?
  /// Whether it is the main thread.
  package var isMain: Bool
  /// What it did; nil where the kernel does not say.
  package var state: State?
  /// Its CPU time since it began, in nanoseconds; nil where unknown.
  package var cpu: Nanoseconds?
  /// What it is blocked on, without a lock's owner; nil if it ran, and where the kernel does not say.
  package var blockedOn: BlockedOn?
  /// The thread that it waits for; nil where it waits for none, and where nothing says which.
  package var waitsFor: ThreadLink?
  /// Like ``StackSample/frames``, with the mark at its end where the stack goes on. Empty where it could not be read.
  package var frames: [UInt64]
  /// Why ``frames`` is empty, in words that complete "no stack: …"; nil where there are frames.
  package var withoutStack: String?
  /// Whether it had not run from its reading until all threads were read: what it waits for then held all the time.
  package var isStill: Bool

  /// What a thread did.
  package enum State: String, Sendable {
    /// On a processor.
    case running
    /// Runnable, without a processor.
    case starved
    /// In the kernel, not runnable.
    case blocked
    /// Stopped by a signal or a debugger.
    case stopped
    /// Over, and not yet taken leave of.
    case ended
  }

  /// Sets every property as given; checks nothing.
  package init(
    id: UInt64, name: String? = nil, isMain: Bool = false, state: State? = nil, cpu: Nanoseconds? = nil,
    blockedOn: BlockedOn? = nil, waitsFor: ThreadLink? = nil, frames: [UInt64] = [], withoutStack: String? = nil,
    isStill: Bool = false
  ) {
    self.id = id
    self.name = name
    self.isMain = isMain
    self.state = state
    self.cpu = cpu
    self.blockedOn = blockedOn
    self.waitsFor = waitsFor
    self.frames = frames
    self.withoutStack = withoutStack
    self.isStill = isStill
  }
}

/// Why a thread cannot go on before another one does something.
package struct ThreadLink: Sendable, Hashable {
  /// What it waits for the other thread to do.
  package enum Kind: String, Sendable {
    /// To give up a lock.
    case lock
    /// To end.
    case end
    /// To finish what a dispatch queue runs, on which it wants to run something at once (`sync`).
    case queue
  }

  /// What it waits for.
  package var kind: Kind
  /// The system's number of the other thread; its own for a lock that it holds itself.
  package var thread: UInt64
  /// The lock's address, or the queue's label; nil where there is none.
  package var object: String?

  /// Sets every property as given; checks nothing.
  package init(kind: Kind, thread: UInt64, object: String? = nil) {
    self.kind = kind
    self.thread = thread
    self.object = object
  }
}
