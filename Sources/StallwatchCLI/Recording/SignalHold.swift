#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Holds back the signals that mean the program, and hands them over one by one.
///
/// They are blocked and not handled or ignored: the program inherits our dispositions, and these must be the ones that
/// we were given. Blocks for the calling thread, which must be the only one that does not block them.
struct SignalHold {
  /// What arrived.
  struct Arrival {
    var signal: Int32
    /// The terminal sent it, to the program as well as to us.
    var isFromTerminal = false
  }

  /// The mask as it was before.
  let original: sigset_t

  private static let forProgram: [Int32] = [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGTSTP, SIGCONT,
  ]
  private static let held = forProgram + [SIGCHLD]

  /// Begins to hold.
  init() {
    var set = Self.set(Self.held)
    var original = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &original)
    self.original = original
  }

  /// Waits for a signal that is for the program, or for SIGCHLD, and takes it.
  func next() -> Arrival {
    // Where SIGCHLD was ignored when we started, the program has inherited that by now; for us it would mean that the
    // program's status is thrown away. A program that ends before this line is reached ends as `unknown`.
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

  /// Stops this process as SIGTSTP does, until somebody continues it; not at all where we were told to ignore it.
  func stopHere() {
    var stop = Self.set([SIGTSTP])
    raise(SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, nil)
    pthread_sigmask(SIG_BLOCK, &stop, nil)
  }

  /// Drops what was held, which was meant for the program, and goes back to the mask as it was.
  func release() {
    for number in Self.held {
      let before = signal(number, SIG_IGN)
      signal(number, before)
    }
    var original = original
    pthread_sigmask(SIG_SETMASK, &original, nil)
  }

  /// `SI_KERNEL`: keys and hang-ups of a terminal, which mean its whole foreground group.
  private static let fromKernel: Int32 = 0x80

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
