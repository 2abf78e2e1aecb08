/// Counts what became of the looks at threads.
package struct SamplerHealth: Equatable {
  /// Why running threads are not interrupted.
  package enum SignalObstacle: String {
    /// The program handles or ignores SIGURG, or has set it back to its default.
    case urgentOfTheProgram = "the program handles SIGURG"
    /// The program does so with SIGPROF, or has an interval timer that sends it; and the threads block SIGURG.
    case profilingOfTheProgram = "the program handles SIGPROF"
    /// The system has no memory, or no CPU-clock timers.
    case system = "the system gives no CPU-clock timer"
    /// The configuration switches signals off.
    case configuration = "signals are switched off"
  }

  /// Blocked threads that were read.
  package var withoutSignal = 0
  /// Running threads that answered.
  package var interrupted = 0
  /// Running threads that did not answer in time.
  package var unanswered = 0
  /// Running threads not asked: ``signalObstacle``, blocked signals, or no timer left in the system.
  package var refused = 0
  /// How many of `refused` only lacked a timer at that moment.
  package var withoutTimer = 0
  /// Threads that had ended.
  package var gone = 0
  /// Threads that the system does not let the monitor look at.
  package var hidden = 0
  /// Why running threads cannot be interrupted now; nil while they can.
  package var signalObstacle: SignalObstacle?
}
