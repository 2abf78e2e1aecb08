import StallwatchCore

/// What a look at a thread found.
package struct CapturedStack: Equatable {
  /// How it was found.
  package enum Method {
    /// The thread was blocked, and was read without its taking part.
    case withoutSignal
    /// The thread was interrupted (or suspended, on Apple's systems) and told its registers and its stack.
    case interrupted
    /// The thread runs, and was asked when this pass had no time left to wait: the next call takes its answer.
    case later
    /// The thread runs, and its stack could not be had: ``SamplerHealth`` says why.
    case notAtAll
  }

  /// The thread's number.
  package var threadID: UInt64
  /// When it was so.
  package var atNs: Nanoseconds
  /// What the thread was doing. A thread that did not answer is `starved` if it got no CPU time meanwhile.
  package var activity: ThreadActivity
  /// Like ``StackSample/frames``; at most 128.
  package var frames: [UInt64] = []
  /// How many more there were, at least.
  package var framesCut = 0
  /// Whether the last frame is the thread's first function.
  package var isComplete = false
  /// ``frames``, with ``StackSample/cutMark`` behind them where the stack goes on.
  package var markedFrames: [UInt64] {
    frames.isEmpty || isComplete && framesCut == 0 ? frames : frames + [StackSample.cutMark]
  }
  /// How it was found.
  package var method: Method
  /// For how long the thread was held up for it.
  package var pause: Nanoseconds = 0
  /// The system call that it was blocked in; nil when it ran, or was blocked outside of one.
  package var systemCall: SystemCall?
  /// What it was blocked on.
  package var blockedOn: BlockedOn?
}

/// A system call in progress.
package struct SystemCall: Equatable {
  /// Its number; differs between kinds of processors.
  package var number: Int
  /// Its six arguments; those that it does not have are left-overs.
  package var arguments: [UInt64]
}
