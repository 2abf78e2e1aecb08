#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Holds back the signals that would end us before the program has ended, and takes those that must be acted on.
///
/// They are blocked and not handled or ignored: the program inherits our dispositions, and these must be the ones that
/// we were given. Blocks for the calling thread, which must be the only one that does not block them.
struct SignalHold {
  /// The mask as it was before.
  let original: sigset_t

  /// SIGINT and SIGQUIT are held until the program has ended; the others are taken by ``next()``.
  private static let held = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD]
  private static let taken = [SIGTERM, SIGHUP, SIGCHLD]

  /// Begins to hold.
  init() {
    var set = Self.set(Self.held)
    var original = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &original)
    self.original = original
  }

  /// Waits for SIGTERM, SIGHUP or SIGCHLD, and takes it.
  func next() -> Int32 {
    // Where SIGCHLD was ignored when we started, the program has inherited that by now; for us it would mean that the
    // program's status is thrown away. A program that ends before this line is reached ends as `unknown`.
    signal(SIGCHLD, SIG_DFL)
    var set = Self.set(Self.taken)
    var signal: Int32 = 0
    return sigwait(&set, &signal) == 0 ? signal : SIGCHLD
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

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
