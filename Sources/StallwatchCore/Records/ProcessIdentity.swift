/// The identity of a process. A pid alone does not do: the system gives it to other processes later.
package struct ProcessIdentity: Hashable, Sendable {
  /// The process's number while it lives.
  package var pid: Int32
  /// When the process started, in the system's own unit: clock ticks since boot on Linux, microseconds since 1970 on
  /// Apple's systems.
  package var startTime: UInt64
  /// The identifier of the boot during which it ran.
  package var bootID: String
  /// The machine's name.
  package var host: String

  /// Sets every property as given; checks nothing.
  package init(pid: Int32, startTime: UInt64, bootID: String, host: String) {
    self.pid = pid
    self.startTime = startTime
    self.bootID = bootID
    self.host = host
  }
}
