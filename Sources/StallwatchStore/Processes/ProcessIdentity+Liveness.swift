import StallwatchCore
import StallwatchLibc

extension ProcessIdentity {
  /// The identity of this process.
  package static func current() -> ProcessIdentity {
    let pid = getpid()
    return ProcessIdentity(
      pid: pid, startTime: startTime(of: pid) ?? 0, bootID: currentBootID(), host: currentHost())
  }

  /// Whether the process still runs. False for a process of another boot or machine, and for one that ended and waits
  /// to be reaped.
  package var isAlive: Bool {
    guard pid > 0, host == Self.currentHost(), bootID == Self.currentBootID() else { return false }
    return Self.startTime(of: pid) == startTime
  }

  /// The machine's name; empty where unknown.
  static func currentHost() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

#if os(Linux)
  extension ProcessIdentity {
    /// The boot's identifier, which changes at each boot (random(4)); empty where unknown.
    static func currentBootID() -> String {
      guard let bytes = firstBytes(of: "/proc/sys/kernel/random/boot_id") else { return "" }
      return String(decoding: bytes.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }

    /// Clock ticks from boot to the process's start: field 22 of /proc/PID/stat (proc_pid_stat(5)). Nil if there is no
    /// such process or it has ended.
    private static func startTime(of pid: Int32) -> UInt64? {
      guard let bytes = firstBytes(of: "/proc/\(pid)/stat") else { return nil }
      // The second field is the program's name in parentheses, which may contain anything, even parentheses.
      guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
      let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
      // The first field here is the file's third, the state.
      guard fields.count > 19, !isOver(state: fields[0].first) else { return nil }
      return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    private static func isOver(state: UInt8?) -> Bool {
      state == UInt8(ascii: "Z") || state == UInt8(ascii: "X") || state == UInt8(ascii: "x")
    }

    private static func firstBytes(of path: String) -> [UInt8]? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: 1_024)
      let count = read(descriptor, &buffer, buffer.count)
      return count > 0 ? Array(buffer.prefix(count)) : nil
    }
  }
#elseif canImport(Darwin)
  extension ProcessIdentity {
    /// The boot's identifier, which changes at each boot (the system's `kern.bootsessionuuid`); empty where unknown.
    static func currentBootID() -> String {
      var buffer = [CChar](repeating: 0, count: 64)
      var size = buffer.count - 1
      guard sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else { return "" }
      return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Microseconds from 1970 to the process's start (sysctl(3), KERN_PROC_PID). Nil if there is no such process or it
    /// has ended.
    private static func startTime(of pid: Int32) -> UInt64? {
      var name: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_PID, pid]
      var process = kinfo_proc()
      var size = MemoryLayout<kinfo_proc>.stride
      guard sysctl(&name, UInt32(name.count), &process, &size, nil, 0) == 0, size > 0,
        Int32(process.kp_proc.p_stat) != SZOMB
      else { return nil }
      let start = process.kp_proc.p_starttime
      return UInt64(start.tv_sec) * 1_000_000 + UInt64(start.tv_usec)
    }
  }
#endif
