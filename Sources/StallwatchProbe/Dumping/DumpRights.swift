#if os(Linux)
  import StallwatchLibc

  /// Why the kernel does not show us another process's memory, and what to do about it.
  enum DumpRights {
    /// One line for an error of opening it.
    static func explain(_ error: Int32, process: Int32) -> String {
      let folder = ProcessFolder(process: process)
      let reason: String
      switch error {
      case EACCES, EPERM: reason = refusal(of: folder)
      case ESRCH: reason = "the process has no memory of its own, like a thread of the kernel"
      default: reason = String(cString: strerror(error))
      }
      return "stacks and locks are missing: \(reason)"
    }

    private static func refusal(of folder: ProcessFolder) -> String {
      if geteuid() != 0, let owner = owner(of: folder), owner != geteuid() {
        return "the process belongs to \(name(of: owner)); run this as that user or as root (sudo)"
      }
      switch scope {
      case 1? where geteuid() != 0:
        return
          "kernel.yama.ptrace_scope is 1, so only a process's parent may read its memory; run this as root (sudo), "
          + "or allow it with 'sysctl kernel.yama.ptrace_scope=0'"
      case 2? where geteuid() != 0:
        return "kernel.yama.ptrace_scope is 2, so only root may read a process's memory; run this as root (sudo)"
      case 3?:
        return "kernel.yama.ptrace_scope is 3, so nobody may read another process's memory until the next boot"
      default:
        return
          "the kernel forbids it, as in a container without the capability SYS_PTRACE, or for a program with extra "
          + "rights; run this as root on the host"
      }
    }

    /// Why threads that run have no stacks, for an error of perf_event_open.
    static func explainRunning(_ error: Int32) -> String {
      let missing = "stacks of running threads are missing"
      switch error {
      case EACCES, EPERM:
        return "\(missing): the kernel lets this user sample no thread; run this as root (sudo), or allow it with "
          + "'sysctl kernel.perf_event_paranoid=2' (a container needs the capability PERFMON)"
      case ENOENT, ENOSYS, EOPNOTSUPP:
        return "\(missing): this kernel has no clock that samples threads (perf_event_open)"
      default: return "\(missing): \(String(cString: strerror(error)))"
      }
    }

    private static var scope: Int? {
      let file = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var digit: UInt8 = 0
      return read(file, &digit, 1) == 1 ? Int(digit) - Int(UInt8(ascii: "0")) : nil
    }

    /// The effective user. The folder's own owner is root where the process is protected.
    private static func owner(of folder: ProcessFolder) -> uid_t? {
      let line = folder.text("status")?.split(separator: "\n").first { $0.hasPrefix("Uid:") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst(2).first.flatMap { uid_t($0) }
    }

    private static func name(of user: uid_t) -> String {
      guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return "user \(user)" }
      return "user '\(String(cString: name))'"
    }
  }
#endif
