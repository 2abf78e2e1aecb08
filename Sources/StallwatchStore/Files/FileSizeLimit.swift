#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How large the files of this process may become (getrlimit(2), RLIMIT_FSIZE).
enum FileSizeLimit {
  /// In bytes; nil for no limit.
  static var current: Int? {
    var limits = rlimit()
    #if canImport(Glibc)
      let status = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    #else
      let status = getrlimit(RLIMIT_FSIZE, &limits)
    #endif
    // No limit is a number that no Int holds, or one that no file reaches.
    return status == 0 ? Int(exactly: limits.rlim_cur) : nil
  }
}
