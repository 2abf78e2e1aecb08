/// What became of the looks at threads.
package struct SamplerHealth: Equatable {
  /// Why running threads are not interrupted.
  package enum SignalObstacle: String {
    /// The program has a handler for SIGURG, ignores it, or has set it back to its default.
    case urgentOfTheProgram = "the program handles SIGURG"
    /// The same of SIGPROF, or it has an interval timer that sends it; and the threads block SIGURG.
    case profilingOfTheProgram = "the program handles SIGPROF"
    /// The system has no memory, or no CPU-clock timers.
    case system = "the system gives no CPU-clock timer"
    /// It was configured so.
    case configuration = "signals are switched off"
  }

  /// Blocked threads that were read.
  package var withoutSignal = 0
  /// Running threads that answered.
  package var interrupted = 0
  /// Running threads that did not answer in time.
  package var unanswered = 0
  /// Running threads that were not asked, because of ``signalObstacle``, because they block the signals, or because
  /// the system had no timer left.
  package var refused = 0
  /// How often of these it was a timer that was missing for the moment.
  package var withoutTimer = 0
  /// Threads that had ended.
  package var gone = 0
  /// Threads that the system does not let be looked at.
  package var hidden = 0
  /// Why running threads are not interrupted now; nil while they may be.
  package var signalObstacle: SignalObstacle?
}
