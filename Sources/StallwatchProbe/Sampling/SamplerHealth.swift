/// What became of the looks at threads.
package struct SamplerHealth: Equatable {
  /// Why running threads are not interrupted.
  package enum SignalObstacle: String {
    /// The program has a handler for SIGPROF, or ignores it.
    case handlerOfTheProgram = "the program handles SIGPROF"
    /// The program has started an interval timer that sends SIGPROF.
    case timerOfTheProgram = "the program has an ITIMER_PROF timer"
    /// Another monitor in this process does it.
    case otherMonitor = "another monitor in this process uses SIGPROF"
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
  /// Running threads that were not asked, because of ``signalObstacle``, or because they block SIGPROF.
  package var refused = 0
  /// Threads that had ended.
  package var gone = 0
  /// Threads that the system does not let be looked at.
  package var hidden = 0
  /// Why running threads are not interrupted now; nil while they may be.
  package var signalObstacle: SignalObstacle?
}
