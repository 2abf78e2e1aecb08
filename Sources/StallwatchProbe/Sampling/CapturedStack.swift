import StallwatchCore

/// What a look at a thread found.
struct CapturedStack: Equatable {
  /// How it was found.
  enum Method {
    /// The thread was blocked, and was read without its taking part.
    case withoutSignal
    /// The thread was interrupted (or suspended, on Apple's systems) and told its registers and its stack.
    case interrupted
    /// The thread runs, and its stack could not be had: ``SamplerHealth`` says why.
    case notAtAll
  }

  /// The thread's number.
  var threadID: UInt64
  /// When it was so.
  var atNs: Nanoseconds
  /// What the thread was doing. A thread that did not answer is `starved` if it got no CPU time meanwhile.
  var activity: ThreadActivity
  /// Like ``StackSample/frames``; at most 128.
  var frames: [UInt64] = []
  /// How many more there were, at least.
  var framesCut = 0
  /// Whether the last frame is the thread's first function.
  var isComplete = false
  /// How it was found.
  var method: Method
  /// For how long the thread was held up for it.
  var pause: Nanoseconds = 0
  /// The system call that it was blocked in; nil when it ran, or was blocked outside of one.
  var systemCall: SystemCall?
  /// What it was blocked on.
  var blockedOn: BlockedOn?
}

/// A system call in progress.
struct SystemCall: Equatable {
  /// Its number; differs between kinds of processors.
  var number: Int
  /// Its six arguments; those that it does not have are left-overs.
  var arguments: [UInt64]
}
