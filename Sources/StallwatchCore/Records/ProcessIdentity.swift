/// A process, known for good: a pid alone is used again by other processes.
public struct ProcessIdentity: Hashable, Sendable {
  /// The process's number while it lives.
  public var pid: Int32
  /// When the process started, in the operating system's own unit (clock ticks since boot on Linux, microseconds since
  /// 1970 on Apple's systems).
  public var startTime: UInt64
  /// The boot during which it ran.
  public var bootID: String
  /// The machine's name.
  public var host: String

  /// A process's identity.
  public init(pid: Int32, startTime: UInt64, bootID: String, host: String) {
    self.pid = pid
    self.startTime = startTime
    self.bootID = bootID
    self.host = host
  }
}
