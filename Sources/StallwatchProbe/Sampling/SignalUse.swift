#if os(Linux)
  import CStallwatch
  import StallwatchLibc
  import Synchronization

  /// One sampler's use of a signal: installed at first need, checked before each use, removed by the last sampler of
  /// the process that ends, and never taken where the program uses the signal.
  struct SignalUse {
    /// How many samplers of this process use each signal.
    private static let users = Mutex<[UInt32: Int]>([:])

    let signal: stallwatch_signal
    /// Why it may not be used; nil while it may, or before the first check.
    private(set) var obstacle: SamplerHealth.SignalObstacle?
    private var isInstalled = false

    init(_ signal: stallwatch_signal) { self.signal = signal }

    /// Whether it may be sent now. Installs it at the first call.
    mutating func isAllowed() -> Bool {
      guard obstacle == nil else { return false }
      if !isInstalled {
        isInstalled = Self.users.withLock { users in
          guard stallwatch_install_signal(signal) else { return false }
          users[signal.rawValue, default: 0] += 1
          return true
        }
      }
      let owner = stallwatch_find_signal_owner(signal)
      if owner == stallwatch_signal_ours, isInstalled { return true }
      // Free although it was ours: the program has set it back, and may do so again.
      let isOthers = owner == stallwatch_signal_handled || isInstalled
      obstacle =
        !isOthers ? .system : signal == stallwatch_harmless_signal ? .urgentOfTheProgram : .profilingOfTheProgram
      return false
    }

    /// Gives the signal back. No thread may be asked by it any more.
    mutating func end() {
      guard isInstalled else { return }
      isInstalled = false
      Self.users.withLock { users in
        users[signal.rawValue, default: 1] -= 1
        if users[signal.rawValue] == 0 { stallwatch_remove_signal(signal) }
      }
    }

    /// Stops its use from now on.
    mutating func forbid(_ reason: SamplerHealth.SignalObstacle) { obstacle = reason }

    /// Whether a thread that blocks `blocked`, bit n − 1 for signal n, takes this signal.
    func isTaken(by blocked: UInt64) -> Bool {
      blocked >> UInt64((signal == stallwatch_harmless_signal ? SIGURG : SIGPROF) - 1) & 1 == 0
    }
  }
#endif
