#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Memory that a watched thread writes and the watchdog reads: zeroed, page by page backed as it is touched, never
/// moved and never given back, because an observer may still be in its callback when it is removed.
enum ZeroedMemory {
  /// Takes `byteCount` bytes, aligned to a page; nil when there is no address space left.
  static func take(byteCount: Int) -> UnsafeMutableRawPointer? {
    let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | mapAnonymous, -1, 0)
    return memory == MAP_FAILED ? nil : memory
  }

  #if canImport(Glibc)
    private static let mapAnonymous = MAP_ANONYMOUS
  #else
    private static let mapAnonymous = MAP_ANON
  #endif
}
