#if canImport(Darwin)
  import Darwin
  import StallwatchCore

  typealias Platform = ApplePlatform

  /// Apple's systems. Written after the documentation, not run.
  enum ApplePlatform: PlatformFacts {
    static func now() -> Nanoseconds { clock_gettime_nsec_np(CLOCK_UPTIME_RAW) }

    // Apple's clock is a counter read and a multiplication already.
    static func keepsTimeByCounter() -> Bool { false }

    static func wallClock() -> UInt64 { clock_gettime_nsec_np(CLOCK_REALTIME) }

    static func sleepOffset() -> Nanoseconds {
      let awake = clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
      return clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW).since(awake)
    }

    static func threadCPU() -> Nanoseconds { clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID) }

    // A stop leaves no evidence to weigh it against.
    static func cpu(ofThread threadID: UInt64) -> Nanoseconds? { nil }

    // The kernel keeps no run delay for a thread that its own process can read.
    static func threadRunDelay() -> Nanoseconds? { nil }

    static func name(ofThread threadID: UInt64) -> String? {
      var info = proc_threadinfo()
      let size = Int32(MemoryLayout<proc_threadinfo>.size)
      guard proc_pidinfo(getpid(), PROC_PIDTHREADID64INFO, threadID, &info, size) == size else { return nil }
      let name = withUnsafeBytes(of: info.pth_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return name.isEmpty ? nil : name
    }

    // Unnamed threads have no name at all.
    static func programName() -> String? { nil }
  }
#endif
