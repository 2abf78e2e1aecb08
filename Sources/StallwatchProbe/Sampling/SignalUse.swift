#if os(Linux)
  import CStallwatch
  import Synchronization

  /// The use of SIGPROF: taken at the first need, asked for again before each use, given back at the end, and never taken
  /// where the program uses it.
  struct SignalUse {
    /// Whether a sampler of this process has it.
    private static let isTaken = Atomic<Bool>(false)

    /// Why it may not be used; nil while it may, or while nobody has asked.
    private(set) var obstacle: SamplerHealth.SignalObstacle?
    private var isInstalled = false

    /// Whether a signal may be sent now.
    mutating func isAllowed() -> Bool {
      guard obstacle == nil else { return false }
      if isInstalled {
        obstacle = Self.obstacle(stallwatch_find_sigprof_owner(), expected: stallwatch_sigprof_ours)
        return obstacle == nil
      }
      guard Self.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
      else {
        obstacle = .otherMonitor
        return false
      }
      if stallwatch_install_sigprof() {
        isInstalled = true
        return true
      }
      obstacle = Self.obstacle(stallwatch_find_sigprof_owner(), expected: stallwatch_sigprof_free) ?? .system
      Self.isTaken.store(false, ordering: .releasing)
      return false
    }

    /// Says that it may not be used from now on.
    mutating func forbid(_ reason: SamplerHealth.SignalObstacle) { obstacle = reason }

    /// Gives it back.
    mutating func end() {
      guard isInstalled else { return }
      isInstalled = false
      stallwatch_remove_sigprof()
      Self.isTaken.store(false, ordering: .releasing)
    }

    private static func obstacle(
      _ owner: stallwatch_sigprof_owner, expected: stallwatch_sigprof_owner
    ) -> SamplerHealth.SignalObstacle? {
      switch owner {
      case expected: nil
      case stallwatch_sigprof_timed: .timerOfTheProgram
      default: .handlerOfTheProgram
      }
    }
  }
#endif
