/// One thing that happened, on its way from a probe to whoever keeps it.
public enum Record: Sendable {
  /// A loop came under watch.
  case loop(LoopRecord)
  /// A mode was seen for the first time. Comes after its loop.
  case mode(ModeRecord)
  /// A loop's time outside runs, or its end.
  case loopProgress(LoopProgress)
  /// Counters grew. Comes after its mode.
  case profile(ProfileDelta)
  /// A stall became known.
  case stallBegan(StallBegan)
  /// A stall is over. Comes after its beginning.
  case stallEnded(StallEnded)
  /// What the held thread was doing, so far. Comes after the stall's beginning, and after the images of its frames.
  case samples(StallSamples)
  /// A stack of the profile was seen. Comes after its loop and the images of its frames.
  case profiledStack(ProfiledStack)
  /// An image was seen for the first time, or at another address.
  case image(ImageRecord)
  /// A timer came into the ledger, or changed. Comes after its loop and the image of its origin.
  case timer(TimerRecord)
  /// A timer's ledger grew. Comes after its timer.
  case timerDelta(TimerDelta)
  /// A stall made a timer late. Comes after both.
  case stallTimer(StallTimer)
  /// A tick of the drift probe. Comes after its loop.
  case driftTick(DriftTick)
  /// Time to be kept apart.
  case interval(IntervalRecord)
  /// Records that did not fit.
  case loss(LossRecord)
  /// The monitor's own cost, and a sign of life.
  case health(HealthRecord)
}

/// Takes what a probe sees. Called from the watchdog's thread, never from a watched one.
///
/// Nothing here blocks or throws: what cannot be kept is refused, counted by the recorder, and told as a
/// ``LossRecord`` later.
public protocol Recorder: AnyObject, Sendable {
  /// Takes a record. Returns false when there is no room: timers, and growing figures (profiles, timers' growth, loop progress,
  /// losses), the caller keeps and offers again later; anything else is lost, and the recorder has counted it.
  @discardableResult
  func take(_ record: Record) -> Bool
}

extension Record {
  /// Whether whoever hands it on keeps it when it is refused, and offers it again: it holds growth that no later record
  /// repeats, or a timer, of which a program may make thousands at once.
  public var isOfferedAgain: Bool {
    switch self {
    case .profile, .timer, .timerDelta, .loopProgress, .loss, .profiledStack: true
    default: false
    }
  }
}
