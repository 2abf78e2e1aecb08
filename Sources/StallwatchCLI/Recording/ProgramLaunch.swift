import StallwatchLibc

/// Runs a program as if the shell had run it instead of `record`: same process group, terminal, open files, signal mask
/// and dispositions. Only its environment differs.
struct ProgramLaunch {
  /// The path of the file to run.
  var executable: String
  /// Its arguments, its name first.
  var arguments: [CString]
  /// Its environment, as `NAME=value`.
  var environment: [CString]

  /// How a program ended.
  enum End: Equatable {
    /// It returned or called exit with this status.
    case exited(Int32)
    /// This signal ended it.
    case signalled(Int32)
    /// The system did not keep its status.
    case unknown

    /// The value of a shell's `$?`.
    var exitCode: Int32 {
      switch self {
      case .exited(let status): status
      case .signalled(let signal): 128 + signal
      case .unknown: Failure.Status.unable.rawValue
      }
    }
  }

  /// Starts the program, waits for its end and forwards signals to it, except those that the terminal already sent to
  /// both. Call once, on the main thread. Throws ``Failure``.
  func run() throws -> (process: pid_t, end: End) {
    let signals = SignalHold()
    defer { signals.release() }
    let process = try start(mask: signals.original)
    return (process, Self.wait(for: process, signals: signals))
  }

  private func start(mask: sigset_t) throws -> pid_t {
    var mask = mask
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let result = spawn(executable, arguments, &attributes)
    if let process = result.process { return process }
    guard result.reason == ENOEXEC else { throw failure(result.reason) }
    // A script without an interpreter line: run it with a shell, as a shell would.
    let shell = "/bin/sh"
    let byShell = spawn(shell, [CString(shell), CString(executable)] + arguments.dropFirst(), &attributes)
    guard let process = byShell.process else { throw failure(byShell.reason) }
    return process
  }

  private func spawn(
    _ path: String, _ arguments: [CString], _ attributes: inout posix_spawnattr_t
  ) -> (process: pid_t?, reason: Int32) {
    var process = pid_t()
    let reason = CString.withPointers(arguments) { arguments in
      CString.withPointers(environment) { environment in
        posix_spawn(&process, path, nil, &attributes, arguments, environment)
      }
    }
    return (reason == 0 ? process : nil, reason)
  }

  private func failure(_ reason: Int32) -> Failure {
    // The file existed a moment ago, so the interpreter or loader that it names is missing.
    reason == ENOENT && access(executable, F_OK) == 0
      ? Failure(.programNotRunnable, "\(executable) names an interpreter or loader that does not exist; install it")
      : ProgramLookup.failure(executable, reason)
  }

  private static func wait(for process: pid_t, signals: SignalHold) -> End {
    while true {
      var status: Int32 = 0
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return end(of: status) }
      if ended < 0, errno != EINTR { return .unknown }
      let arrival = signals.next()
      // After SIGCHLD, only ask again.
      if arrival.signal != SIGCHLD, !arrival.isFromTerminal { kill(process, arrival.signal) }
      if arrival.signal == SIGTSTP { signals.stopHere() }
    }
  }

  /// Decodes `wait(2)`'s status word: the low seven bits are the signal, the next byte the exit status.
  private static func end(of status: Int32) -> End {
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }
}
