/// Why a probe cannot start.
package enum ProbeError: Error, Equatable, CustomStringConvertible {
  /// The system gave no address space, or no thread, for the watchdog. The value names which.
  case noResources(String)
  /// There is no process with this number, or no longer.
  case noProcess(Int32)
  /// This probe was started before; each probe starts once.
  case usedBefore

  /// One line with the reason and the remedy.
  package var description: String {
    switch self {
    case .noResources(let what):
      "the monitor cannot start: the system gave it no \(what); raise the process's limits (ulimit -a)"
    case .noProcess(let number): "there is no process \(number); 'ps -e' lists all processes"
    case .usedBefore: "this probe was started before: make a new one"
    }
  }
}
