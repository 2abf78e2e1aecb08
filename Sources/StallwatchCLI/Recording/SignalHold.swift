import StallwatchLibc

/// Holds back the signals meant for the program, and returns them one by one.
///
/// Blocks them instead of handling or ignoring them, because the program inherits this process's dispositions and must
/// get the original ones. Blocks for the calling thread, which must be the only one that does not block them already.
struct SignalHold {
  /// A signal that arrived.
  struct Arrival {
    var signal: Int32
    /// Whether the terminal sent it, so that the program got it as well.
    var isFromTerminal = false
  }

  /// The signal mask before the hold.
  let original: sigset_t

  private static let forProgram: [Int32] = [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGTSTP, SIGCONT,
  ]
  private static let held = forProgram + [SIGCHLD]

  /// Begins to hold signals.
  init() {
    var set = Self.set(Self.held)
    var original = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &original)
    self.original = original
  }

  /// Waits for a signal for the program, or for SIGCHLD, and takes it.
  func next() -> Arrival {
    // If SIGCHLD was ignored at our start, the program has inherited that by now; for us it would mean that the system
    // discards the program's status. A program that ends before this line is reached ends as `unknown`.
    signal(SIGCHLD, SIG_DFL)
    var set = Self.set(Self.held)
    #if canImport(Darwin)
      var signal: Int32 = 0
      return Arrival(signal: sigwait(&set, &signal) == 0 ? signal : SIGCHLD)
    #else
      var information = siginfo_t()
      let signal = sigwaitinfo(&set, &information)
      return signal > 0
        ? Arrival(signal: signal, isFromTerminal: information.si_code == Self.fromKernel) : Arrival(signal: SIGCHLD)
    #endif
  }

  /// Stops this process like SIGTSTP until something continues it; does nothing where SIGTSTP is ignored.
  func stopHere() {
    var stop = Self.set([SIGTSTP])
    raise(SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, nil)
    pthread_sigmask(SIG_BLOCK, &stop, nil)
  }

  /// Drops the held signals, which were meant for the program, and restores the mask.
  func release() {
    for number in Self.held {
      let before = signal(number, SIG_IGN)
      signal(number, before)
    }
    var original = original
    pthread_sigmask(SIG_SETMASK, &original, nil)
  }

  /// `SI_KERNEL`: keys and hang-ups of a terminal, which the kernel sends to the whole foreground group.
  private static let fromKernel: Int32 = 0x80

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
