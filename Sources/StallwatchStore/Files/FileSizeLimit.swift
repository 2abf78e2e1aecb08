import StallwatchLibc

/// The limit on the size of files that this process writes (getrlimit(2), RLIMIT_FSIZE).
enum FileSizeLimit {
  /// The limit in bytes; nil for none.
  static var current: Int? {
    var limits = rlimit()
    #if canImport(Glibc)
      let status = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    #else
      let status = getrlimit(RLIMIT_FSIZE, &limits)
    #endif
    // "No limit" is a number that no Int holds, or one that no file reaches.
    return status == 0 ? Int(exactly: limits.rlim_cur) : nil
  }
}
