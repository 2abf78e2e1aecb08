/// Why a process cannot be watched.
public enum ProbeError: Error, Equatable, CustomStringConvertible {
  /// No address space, or no thread, for the watchdog.
  case noResources(String)
  /// This probe was started before; it serves once.
  case usedBefore

  /// One line with the reason and the way out.
  public var description: String {
    switch self {
    case .noResources(let what):
      "the monitor cannot start: the system gave it no \(what); raise the process's limits (ulimit -a)"
    case .usedBefore: "this probe was started before: make a new one"
    }
  }
}
