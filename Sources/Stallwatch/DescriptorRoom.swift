import StallwatchLibc

/// Whether the process can spare the file descriptors that a monitor takes.
enum DescriptorRoom {
  /// The store takes three, and one more briefly now and then. The rest is for the program, whose next run loop alone
  /// takes four: a program that can open no more files must not fail because it is watched.
  static let needed = 16
  /// How many descriptors to check, from the top: the system gives out the lowest first, so free ones are at the top.
  private static let looked = 4_096

  /// How many files the process may open; nil when nothing limits it.
  static var limit: Int? {
    var limits = rlimit()
    #if canImport(Glibc)
      let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    #else
      let status = getrlimit(RLIMIT_NOFILE, &limits)
    #endif
    return status == 0 ? Int(exactly: limits.rlim_cur) : nil
  }

  /// Whether fewer than ``needed`` descriptors are free. Opens nothing.
  static var isScarce: Bool {
    guard let limit, let top = Int32(exactly: limit) else { return false }
    var free = 0
    for descriptor in stride(from: top - 1, through: max(0, top - Int32(looked)), by: -1) {
      if fcntl(descriptor, F_GETFD) < 0 { free += 1 }
      if free == needed { return false }
    }
    return true
  }
}
