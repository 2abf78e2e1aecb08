import StallwatchCore

/// The result of a look at a thread.
package struct CapturedStack: Equatable {
  /// How the stack was captured.
  package enum Method {
    /// The thread was blocked, and the sampler read it without the thread taking part.
    case withoutSignal
    /// The thread was interrupted (suspended, on Apple's systems), and its registers and stack were copied.
    case interrupted
    /// The thread runs, and was asked when this pass had no time left to wait: the next call takes its answer.
    case later
    /// The thread runs, and the sampler got no stack: ``SamplerHealth`` says why.
    case notAtAll
  }

  /// The kernel's ID of the thread.
  package var threadID: UInt64
  /// When it was captured, on the monotonic clock.
  package var atNs: Nanoseconds
  /// What the thread was doing. A thread that did not answer is `starved` if it got no CPU time meanwhile.
  package var activity: ThreadActivity
  /// Like ``StackSample/frames``; at most 128.
  package var frames: [UInt64] = []
  /// How many frames were left out, at least.
  package var framesCut = 0
  /// Whether the last frame is the thread's first function.
  package var isComplete = false
  /// ``frames``, followed by ``StackSample/cutMark`` if the stack goes on.
  package var markedFrames: [UInt64] {
    frames.isEmpty || isComplete && framesCut == 0 ? frames : frames + [StackSample.cutMark]
  }
  /// How the stack was captured.
  package var method: Method
  /// For how long the look paused the thread, in nanoseconds; 0 when it was blocked.
  package var pause: Nanoseconds = 0
  /// What the thread waited in and for; nil when it ran.
  var wait: ThreadWait?
  /// The system call that the thread was blocked in; nil when it ran, or was blocked outside of one.
  package var systemCall: SystemCall? { wait?.systemCall }
  /// What the thread was blocked on.
  package var blockedOn: BlockedOn? { wait?.blockedOn }
}

/// What a blocked thread waited in and for. An object, because it is large, and the same at look after look.
final class ThreadWait: Sendable, Equatable {
  let systemCall: SystemCall?
  let blockedOn: BlockedOn?

  init(_ systemCall: SystemCall?, on blockedOn: BlockedOn?) {
    (self.systemCall, self.blockedOn) = (systemCall, blockedOn)
  }

  static func == (one: ThreadWait, other: ThreadWait) -> Bool {
    one === other || one.systemCall == other.systemCall && one.blockedOn == other.blockedOn
  }
}

/// A system call in progress.
package struct SystemCall: Equatable, Sendable {
  /// Its number, which differs between processors.
  package var number: Int
  /// Its six argument registers; those that it does not use hold leftovers.
  package var arguments: [UInt64]
}
