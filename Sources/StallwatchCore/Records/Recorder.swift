/// One event or growth, on its way from a probe to its ``Recorder``.
///
/// A queue holds hundreds of records, and each is copied a few times on its way. What is larger than the growth of a
/// profile therefore lies in memory of its own.
package enum Record: Sendable {
  /// A loop came under watch. Comes before all else about it.
  case loop(LoopRecord)
  /// A mode was seen for the first time. Comes after its loop.
  case mode(ModeRecord)
  /// A loop's time outside runs, its activities, or its end. Comes after its loop.
  case loopProgress(LoopProgress)
  /// A mode's counters grew. Comes after its mode.
  case profile(ProfileDelta)
  /// A stall became known.
  indirect case stallBegan(StallBegan)
  /// A stall is over. Comes after its beginning.
  case stallEnded(StallEnded)
  /// What the held thread did so far. Comes after the stall's beginning and after the images of its frames.
  case samples(StallSamples)
  /// A stack of the profile. Comes after its loop and the images of its frames.
  case profiledStack(ProfiledStack)
  /// An image was seen for the first time, or at another address.
  case image(ImageRecord)
  /// A timer entered the ledger, or changed. Comes after its loop and the image of its origin.
  indirect case timer(TimerRecord)
  /// A timer's ledger grew. Comes after its timer.
  indirect case timerDelta(TimerDelta)
  /// A stall made a timer late. Comes after both.
  case stallTimer(StallTimer)
  /// A tick of the drift probe. Comes after its loop.
  case driftTick(DriftTick)
  /// Time that figures must not cover silently.
  case interval(IntervalRecord)
  /// Records that did not fit.
  case loss(LossRecord)
  /// The monitor's own cost, and a sign of life.
  indirect case health(HealthRecord)
}

/// Takes what a probe sees. The watchdog's thread calls it, never a watched one.
///
/// Implementations neither block nor throw. They refuse and count what they cannot keep, and report it as a
/// ``LossRecord`` later.
package protocol Recorder: AnyObject, Sendable {
  /// Takes a record; false when there is no room. The caller then keeps what ``Record/isOfferedAgain`` names and offers
  /// it again later; anything else is lost, and the recorder has counted it.
  @discardableResult
  func take(_ record: Record) -> Bool
}

extension Record {
  /// Whether the caller keeps it when the recorder refuses it, and offers it again: it holds growth that no later
  /// record repeats, or a timer, of which a program may make thousands at once.
  package var isOfferedAgain: Bool {
    switch self {
    case .profile, .timer, .timerDelta, .loopProgress, .loss, .profiledStack: true
    default: false
    }
  }
}

/// What a recorder's own threads cost, in nanoseconds of CPU time.
package struct RecorderCost: Sendable, Equatable {
  /// All that they took.
  package var cpu: Nanoseconds
  /// What they took for flushes, without transactions.
  package var flushCPU: Nanoseconds

  package init(cpu: Nanoseconds = 0, flushCPU: Nanoseconds = 0) {
    (self.cpu, self.flushCPU) = (cpu, flushCPU)
  }
}
